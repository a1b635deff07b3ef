import RxProtocol
import Testing

@testable import RxServer

@Suite("A batch of events")
struct EventBatchTests {
    private func event(_ cursor: UInt64, _ channel: Channel.Set, _ tail: String) -> EncodedEvent {
        EncodedEvent(cursor: cursor, channel: channel, level: nil, mustArrive: false, tail: Array(tail.utf8))
    }

    private func lines(
        _ batch: EventBatch, sequence: inout Int, channels: Channel.Set, since: UInt64 = 0, room: Int = 4096
    ) -> String? {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 8)
        defer { block.deallocate() }
        let count = batch.write(
            head: Array("#".utf8), sequence: &sequence, channels: channels, since: since, to: block)
        return count.map { String(decoding: block[..<$0], as: UTF8.self) }
    }

    @Test("is written for a subscription with its own numbers, which go on from batch to batch")
    func numbers() {
        var batch = EventBatch()
        batch.append(event(1, .elements, ",a\n"))
        batch.append(event(2, .elements, ",b\n"))
        var sequence = 8
        #expect(lines(batch, sequence: &sequence, channels: .elements) == "#9,a\n#10,b\n")
        sequence = 98
        #expect(lines(batch, sequence: &sequence, channels: .elements) == "#99,a\n#100,b\n")
        sequence = Int.max - 2
        let last = "#9223372036854775806,a\n#9223372036854775807,b\n"
        #expect(lines(batch, sequence: &sequence, channels: .elements) == last)
        #expect(sequence == Int.max)
    }

    @Test("is written event by event if it is longer than a block, and then holds no copies of the events")
    func long() {
        var batch = EventBatch()
        batch.append(event(1, .elements, ",a\n"))
        batch.append(event(2, .elements, String(repeating: "x", count: EventBatch.blockBytes)))
        batch.append(event(3, .elements, ",c\n"))
        var sequence = 0
        #expect(lines(batch, sequence: &sequence, channels: .elements, room: 1 << 20) == nil)
        #expect(batch.events.map(\.cursor) == [1, 2, 3] && batch.copiedBytes == 3 && sequence == 0)
        batch.removeAll()
        batch.append(event(4, .elements, ",d\n"))
        #expect(lines(batch, sequence: &sequence, channels: .elements) == "#1,d\n")
    }

    @Test("numbers of every length have their digits")
    func digits() {
        var numbers: [UInt64] = Array(0...1100) + [UInt64.max]
        var power: UInt64 = 1000
        while power < 10_000_000_000_000_000_000 {
            power *= 10
            numbers += [power - 1, power, power + 1, power + power / 2 + 7]
        }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: LineEnd.mostDigits, alignment: 8)
        defer { room.deallocate() }
        for number in numbers {
            var line = LineEnd(room)
            line.put(number)
            #expect(String(decoding: room[..<line.count], as: UTF8.self) == String(number))
        }
    }

    @Test("leaves out events of another channel or in the snapshot, without a number")
    func filters() {
        var batch = EventBatch()
        batch.append(event(4, .elements, ",old\n"))
        batch.append(event(5, .executing, ",level\n"))
        batch.append(event(6, .elements, ",new\n"))
        var sequence = 0
        #expect(lines(batch, sequence: &sequence, channels: .elements, since: 4) == "#1,new\n")
        #expect(lines(batch, sequence: &sequence, channels: [.elements, .executing], since: 4) == "#2,level\n#3,new\n")
        #expect(lines(batch, sequence: &sequence, channels: .errors) == "")
        #expect(sequence == 3)
    }

    @Test("is not begun where it may not fit")
    func room() {
        var batch = EventBatch()
        batch.append(event(1, .elements, String(repeating: "x", count: 100)))
        var sequence = 0
        #expect(lines(batch, sequence: &sequence, channels: .elements, room: 100) == nil)
        #expect(sequence == 0)
        #expect(lines(batch, sequence: &sequence, channels: .elements, room: 200)?.utf8.count == 102)
    }

    @Test("holds nothing of the last turn")
    func removal() {
        var batch = EventBatch()
        batch.append(event(1, .elements, ",a\n"))
        batch.removeAll()
        #expect(batch.isEmpty)
        batch.append(event(2, .elements, ",b\n"))
        var sequence = 0
        #expect(lines(batch, sequence: &sequence, channels: .elements) == "#1,b\n")
    }
}

@Suite("Spare buffers")
struct SpareBuffersTests {
    @Test("come back empty, and large ones not at all")
    func reuse() {
        let spares = SpareBuffers()
        var buffer = spares.take()
        buffer.append(1)
        let room = buffer.capacity
        spares.give(&buffer)
        #expect(buffer.capacity == 0)
        let again = spares.take()
        #expect(again.isEmpty)
        #expect(again.capacity == room)
        var large: [UInt8] = []
        large.reserveCapacity(1_000_000)
        spares.give(&large)
        #expect(spares.take().capacity < 1_000_000)
    }
}
