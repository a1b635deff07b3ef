import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost

@Suite("Encoded events", .countedApart)
struct EncodedEventsTests {
    /// Encodes an event as the number of bytes that its number states, or not at all.
    private final class Encoder: PageEncoder {
        let lengths: [Int?]

        init(_ lengths: [Int?]) { self.lengths = lengths }

        func append(_ event: HostEvent, to bytes: inout [UInt8]) -> Bool {
            guard let length = lengths[Int(event.cursor)] else { return false }
            bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: event.cursor), count: length)
            return true
        }
    }

    private func blocks(_ lengths: [Int?]) throws -> [EncodedEvents] {
        let host = Host([Builtin.echo.definition(name: "echo")])
        let action = try #require(host.registry["echo"])
        var builder = BlockBuilder(Encoder(lengths))
        var items: [CatchUpPage.Item] = []
        for (index, length) in lengths.enumerated() {
            let event = HostEvent(
                cursor: UInt64(index), time: 0, source: action, execution: nil, ordinal: 0,
                change: .queueFull(limit: 1))
            #expect(builder.append(event, slot: 3, to: &items) == (length != nil))
        }
        builder.finish(to: &items)
        return items.compactMap { item in
            if case .encoded(let events) = item { events } else { nil }
        }
    }

    private func lines(_ events: EncodedEvents) -> [(UInt8, Int)] {
        var lines: [(UInt8, Int)] = []
        events.forEach { lines.append(($0.first ?? 0, $0.count)) }
        return lines
    }

    @Test("are in blocks, of which each ends with the event that fills it")
    func blocks() throws {
        let third = EncodedEvents.blockBytes / 3 + 1
        let blocks = try blocks([10, third, third, third, 20, 30])
        #expect(blocks.map { $0.events.map(\.cursor) } == [[0, 1, 2, 3], [4, 5]])
        #expect(blocks.map(\.byteCount) == [10 + 3 * third, 50])
        #expect(lines(blocks[1]).map(\.0) == [4, 5] && lines(blocks[1]).map(\.1) == [20, 30])
        #expect(blocks.allSatisfy { $0.single == nil && $0.first.slot == 3 && $0.first.kind == .errors })
    }

    @Test("have a block of their own if they are long, and are found in it without a copy")
    func long() throws {
        let length = EncodedEvents.longBytes
        let blocks = try blocks([10, length, 20, length - 1, length])
        #expect(blocks.map { $0.events.map(\.cursor) } == [[0], [1], [2, 3], [4]])
        #expect(blocks[1].single == [UInt8](repeating: 1, count: length))
        #expect(blocks[3].single == [UInt8](repeating: 4, count: length))
        #expect(lines(blocks[2]).map(\.1) == [20, length - 1])
    }

    @Test("are found by their numbers, those that could not be encoded are not there")
    func numbers() throws {
        let all = try blocks([5, nil, 6, 7, nil, 8])[0]
        #expect((0...6).map { all.contains($0) } == [true, false, true, true, false, true, false])
        let rest = try #require(all.after(2))
        #expect(rest.events.map(\.cursor) == [3, 5] && rest.count == 2 && rest.byteCount == 15)
        #expect(!rest.contains(2) && rest.contains(3))
        #expect(rest.one(rest.events.startIndex).byteCount == 7)
        #expect(all.after(1)?.first.cursor == 2 && all.after(5) == nil)
    }
}
