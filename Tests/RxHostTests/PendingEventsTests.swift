import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords

@Suite("Pending events", .countedApart)
struct PendingEventsTests {
    private let action = Host([Builtin.echo.definition(name: "echo")]).registry["echo"]!

    private func append(_ change: HostEvent.Change, at cursor: UInt64, to pending: inout PendingEvents) {
        let event = HostEvent(cursor: cursor, time: 0, source: action, execution: nil, ordinal: 0, change: change)
        pending.append(event, .event(event))
    }

    @Test("call for their reader once until they are drained")
    func listener() {
        var pending = PendingEvents()
        let calls = Heard<Bool>()
        pending.setListener { calls.add(true) }
        #expect(pending.takeListener() == nil, "nothing is pending")
        for cursor: UInt64 in 1...3 {
            append(.executing(true), at: cursor, to: &pending)
            pending.takeListener()?()
        }
        #expect(calls.values.count == 1)
        #expect(pending.drain(through: 3).entries.map(\.cursor) == [1, 2, 3])
        append(.executing(false), at: 4, to: &pending)
        pending.takeListener()?()
        #expect(calls.values.count == 2)
    }

    @Test("from before there is a reader call for it when it comes")
    func early() {
        var pending = PendingEvents()
        append(.added, at: 1, to: &pending)
        #expect(pending.takeListener() == nil)
        let calls = Heard<Bool>()
        pending.setListener { calls.add(true) }
        pending.takeListener()?()
        #expect(calls.values.count == 1)
    }

    @Test("are left out beyond the limit, except for those about the name, until the reader continues")
    func skipping() {
        var pending = PendingEvents()
        let limit = UInt64(PendingEvents.eventsKept)
        for cursor in 1...limit + 2 { append(.executing(true), at: cursor, to: &pending) }
        append(.removed, at: limit + 3, to: &pending)
        #expect(pending.skippedFrom == limit + 1 && pending.skips == 1)
        let (entries, skippedFrom) = pending.drain(through: limit + 3)
        #expect(entries.map(\.cursor) == Array(1...limit) + [limit + 3] && skippedFrom == limit + 1)
        append(.executing(false), at: limit + 4, to: &pending)
        #expect(pending.drain(through: limit + 4).entries.isEmpty, "still left out")
        pending.stopSkipping(at: 0)
        append(.executing(true), at: limit + 5, to: &pending)
        #expect(pending.drain(through: limit + 5).entries.map(\.cursor) == [limit + 5] && pending.skips == 1)
        #expect(pending.drainedThrough == limit + 5)
    }

    @Test("of a position that come before its cursor bound how far its reader has come")
    func reached() {
        let events = [5, 8].map {
            HostEvent(cursor: $0, time: 0, source: action, execution: nil, ordinal: 0, change: .executing(true))
        }
        var position = CatchUpPosition(cursor: 20, first: RecordedEvents(events), seen: [])
        #expect(position.reached == 4)
        _ = position.first.take(1, bytes: 1)
        #expect(position.reached == 7)
        _ = position.first.take(1, bytes: 1)
        #expect(position.reached == 20)
    }

    @Test("hold no more bytes than the limit and one event")
    func bytes() {
        var pending = PendingEvents()
        let large = RawJSON(unchecked: Array(repeating: UInt8(ascii: "1"), count: 1 << 20))
        for cursor: UInt64 in 1...40 { append(.element(large), at: cursor, to: &pending) }
        let (entries, skippedFrom) = pending.drain(through: 40)
        #expect(skippedFrom == UInt64(entries.count) + 1)
        #expect(
            (entries.count - 1) << 20 < PendingEvents.bytesKept
                && entries.count << 20 >= PendingEvents.bytesKept - 1 << 20)
    }
}
