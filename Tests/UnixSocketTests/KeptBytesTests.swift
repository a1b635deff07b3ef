import TestSupport
import Testing

@testable import RxLoop
@testable import UnixSocket

@Suite("KeptBytes", .ownThreads)
struct KeptBytesTests {
    private func append(_ text: String, to kept: inout KeptBytes) {
        Array(text.utf8).withUnsafeBytes { kept.append($0) }
    }

    private func nextLine(of kept: inout KeptBytes) -> String? {
        guard let length = kept.findNewline() else { return nil }
        return String(decoding: kept.takeLine(length), as: UTF8.self)
    }

    @Test("a line not yet looked for is found after the bytes have moved")
    func moving() {
        var kept = KeptBytes()
        append("a\nb\n", to: &kept)
        #expect(nextLine(of: &kept) == "a")
        append(String(repeating: "x", count: 10_000) + "\n", to: &kept)
        #expect(nextLine(of: &kept) == "b")
        #expect(nextLine(of: &kept)?.utf8.count == 10_000)
    }

    @Test("what has been searched is not searched again, and what is new is")
    func searching() {
        var kept = KeptBytes()
        append("half", to: &kept)
        var found = kept.findNewline()
        #expect(found == nil)
        var hasUnsearched = kept.hasUnsearched
        #expect(!hasUnsearched)
        append("\n", to: &kept)
        hasUnsearched = kept.hasUnsearched
        #expect(hasUnsearched)
        found = kept.findNewline()
        #expect(found == 4)
    }

    @Test("bytes after the last one may be read")
    func padding() {
        for size in [1, 4000, 4096, 4097, 100_000] {
            var kept = KeptBytes()
            append(String(repeating: "x", count: size), to: &kept)
            let all = kept.takeAll()
            let padded = UnsafeRawBufferPointer(start: all.baseAddress, count: size + EventLoop.linePadding)
            #expect(padded.dropLast(EventLoop.linePadding).allSatisfy { $0 == UInt8(ascii: "x") })
            let room = kept.room
            #expect(room >= size + EventLoop.linePadding)
        }
    }

    @Test("the room of a long line is given back, that of a short one is kept")
    func trimming() {
        var kept = KeptBytes()
        append("short", to: &kept)
        _ = kept.takeAll()
        kept.trim()
        var room = kept.room
        #expect(room > 0)
        append(String(repeating: "x", count: 100_000), to: &kept)
        kept.trim()
        room = kept.room
        #expect(room > 100_000, "still in use")
        _ = kept.takeAll()
        kept.trim()
        room = kept.room
        #expect(room == 0)
    }
}
