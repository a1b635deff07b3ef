import RxJSON
import Testing

@testable import RxServer

@Suite("An outbox")
struct OutboxTests {
    /// Takes a few bytes at a time, and counts how often what is left of a message lies elsewhere than before.
    private final class Trickle: Transport {
        private static let mostPerWrite = 4096

        private(set) var received: [UInt8] = []
        private(set) var (writes, moves) = (0, 0)
        private var next: UnsafeRawPointer?
        var wantsWritable = false

        func write(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard let start = bytes.baseAddress else { return 0 }
            let taken = bytes.prefix(Self.mostPerWrite)
            writes += 1
            if let next, next != start { moves += 1 }
            next = taken.count < bytes.count ? start + taken.count : nil
            received.append(contentsOf: taken)
            return taken.count
        }

        func pauseReading() {}
        func resumeReading() {}
        func close() {}
    }

    @Test("writes a long text and what follows it at once, if its reader takes all, and from where it was otherwise")
    func ending() {
        let bytes = Array(repeating: UInt8(ascii: "x"), count: 10_000)
        let end = Array("end\n".utf8)
        for most in [4096, 2048, 3] {
            var text = SharedText(bytes, end: end)
            let reader = Trickle()
            var writes = 0
            while text.left > 0 {
                let count = text.write(to: reader, atMost: most)
                #expect(count > 0)
                writes += 1
            }
            #expect(reader.received == bytes + end)
            // The end comes with the last piece of the text.
            #expect(writes == (bytes.count + end.count + most - 1) / most)
        }
    }

    @Test("of which little is taken at a time moves what is left now and then, however much that is")
    func moves() {
        let length = 8 << 20
        let outbox = Outbox(limit: 64 << 20, spares: SpareBuffers(), dropped: DroppedEvents())
        let texts = ["a", "b", "c"].map { String(repeating: $0, count: length) }
        for text in texts { outbox.reply { $0.string(text) } }
        let reader = Trickle()
        while !outbox.isEmpty { _ = outbox.flush(to: reader) }
        #expect(reader.received == Array(texts.map { "\"\($0)\"\n" }.joined().utf8))
        #expect(reader.writes > 6000 && reader.moves < 60, "\(reader.moves) of \(reader.writes)")
    }
}
