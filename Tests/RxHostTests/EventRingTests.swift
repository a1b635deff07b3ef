import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("An event ring", .countedApart)
struct EventRingTests {
    private let action: HostedAction
    private let host: Host

    init() throws {
        host = Host([Builtin.echo.definition(name: "echo")])
        action = try #require(host.registry["echo"])
    }

    private func ring(events: Int = 1000, bytes: Int = 1 << 20) -> EventRing {
        var limits = CatchUpLimits()
        limits.events = events
        limits.bytes = bytes
        return EventRing(limits)
    }

    private func element(_ cursor: UInt64, bytes: Int = 1) -> HostEvent {
        HostEvent(
            cursor: cursor, time: 0, source: action, execution: nil, ordinal: 0,
            change: .element(RawJSON(unchecked: [UInt8](repeating: UInt8(ascii: "1"), count: bytes))))
    }

    private func refusal(_ cursor: UInt64) -> HostEvent {
        HostEvent(
            cursor: cursor, time: 0, source: action, execution: nil, ordinal: 0, change: .queueFull(limit: 1))
    }

    private func brief(after base: UInt64, disables: Bool = true, fails: Bool = false) -> BriefExecution {
        let execution = BriefExecution(
            id: ExecutionID(), action: action, causes: Causes(.host), input: nil,
            result: fails ? .failure(WorkFailure(message: "no")) : .success(RawJSON(unchecked: Array("1".utf8))),
            disables: disables)
        execution.base = base
        return execution
    }

    private func cursors(_ ring: EventRing, after cursor: UInt64 = 0) -> [UInt64] {
        var cursors: [UInt64] = []
        ring.forEach(after: cursor) { event in
            cursors.append(event.cursor)
            return true
        }
        return cursors
    }

    @Test("counts what came up to each cursor, and looks at the shorter side")
    func publishedUpTo() {
        let ring = ring(events: 60)
        var all: [HostEvent] = []
        var cursor: UInt64 = 0
        for number in 0..<40 {
            if number % 3 == 0 {
                let brief = brief(after: cursor, disables: number % 2 == 0, fails: number % 5 == 0)
                ring.append(brief, skip: 0)
                all += brief.all
                cursor = brief.lastCursor
            } else {
                cursor += 1
                let event = number % 2 == 0 ? element(cursor) : refusal(cursor)
                ring.append(event, .event(event), skip: 0)
                all.append(event)
            }
        }
        let kept = cursors(ring)
        #expect(kept.count > 50 && kept.count < all.count)
        for cursor in kept[0]...cursor {
            var expected = KindCounts()
            for event in all where event.cursor <= cursor { expected.update(event.kind) { $0 += 1 } }
            let before = ring.visits
            #expect(ring.published(upTo: cursor) == expected, "\(cursor)")
            #expect(ring.visits - before <= ring.entryCount / 2 + 1)
        }
    }

    @Test("keeps as many events as it may, the newest, and counts the others by kind")
    func events() {
        let ring = ring(events: 5)
        for cursor in 1...5 as ClosedRange<UInt64> { ring.append(element(cursor), skip: 0) }
        #expect(cursors(ring) == [1, 2, 3, 4, 5])
        #expect(ring.evicted == KindCounts() && ring.evictedThrough == KindCounts())
        ring.append(refusal(6), skip: 0)
        ring.append(element(7), skip: 0)
        #expect(cursors(ring) == [3, 4, 5, 6, 7])
        #expect(ring.published == KindCounts(elements: 6, errors: 1))
        #expect(ring.evicted == KindCounts(elements: 2))
        #expect(ring.evictedThrough == KindCounts(elements: 2))
        for cursor in 8...12 as ClosedRange<UInt64> { ring.append(element(cursor), skip: 0) }
        #expect(ring.evicted == KindCounts(elements: 6, errors: 1))
        #expect(ring.evictedThrough == KindCounts(elements: 7, errors: 6))
    }

    @Test("keeps as many bytes as it may")
    func bytes() {
        let cost = 1000 + HostEvent.ownCost
        let ring = ring(bytes: 3 * cost)
        for cursor in 1...3 as ClosedRange<UInt64> { ring.append(element(cursor, bytes: 1000), skip: 0) }
        #expect(cursors(ring) == [1, 2, 3], "what fits exactly fits")
        ring.append(element(4, bytes: 1001), skip: 0)
        #expect(cursors(ring) == [3, 4], "one byte more costs two of them")
        #expect(ring.evicted == KindCounts(elements: 2))
        for cursor in 5...7 as ClosedRange<UInt64> { ring.append(element(cursor, bytes: 1000), skip: 0) }
        #expect(cursors(ring) == [5, 6, 7], "the room of what went is free again")
    }

    @Test("an event larger than all takes all others along, and is counted as gone")
    func tooLarge() {
        let ring = ring(bytes: 2000)
        ring.append(element(1), skip: 0)
        ring.append(element(2, bytes: 2000), skip: 0)
        #expect(cursors(ring) == [])
        #expect(ring.published == KindCounts(elements: 2) && ring.evicted == KindCounts(elements: 2))
        #expect(ring.evictedThrough == KindCounts(elements: 2))
        ring.append(element(3), skip: 0)
        #expect(cursors(ring) == [3])
    }

    @Test("a ring for no events counts them all")
    func none() {
        let ring = ring(events: 0)
        ring.append(element(1), skip: 0)
        ring.append(brief(after: 1), skip: 0)
        #expect(cursors(ring) == [])
        #expect(ring.published == ring.evicted)
        #expect(ring.evicted == KindCounts(elements: 2, executions: 2))
    }

    @Test("grows across its own end without a change of order", arguments: [1, 15, 16, 17, 31, 33, 100])
    func growth(_ limit: Int) {
        // Bytes hold it at a few entries for a while, so that the place of the oldest wanders; then they are small.
        let large = 1000
        let ring = ring(events: limit, bytes: 12 * (large + HostEvent.ownCost))
        var expected: [UInt64] = []
        var cursor: UInt64 = 0
        for size in [large, 1] {
            for _ in 0..<37 {
                cursor += 1
                ring.append(element(cursor, bytes: size), skip: 0)
                expected.append(cursor)
            }
            let kept = cursors(ring)
            #expect(kept == Array(expected.suffix(kept.count)), "after \(cursor)")
            #expect(kept.count <= limit && kept.count >= min(limit, 12))
            #expect(ring.evicted.elements + UInt64(kept.count) == cursor)
            #expect(ring.evictedThrough.elements == cursor - UInt64(kept.count))
        }
    }

    @Test("a brief execution is three events, which come and go together", arguments: [true, false], [true, false])
    func brief(_ disables: Bool, _ fails: Bool) {
        let ring = ring(events: 3)
        ring.append(element(1), skip: 0)
        let brief = brief(after: 1, disables: disables, fails: fails)
        ring.append(brief, skip: 0)
        // Record, `executing`, (`enabled`,) outcome, record.
        let expected: [UInt64] = disables ? [2, 5, 6] : [2, 4, 5]
        #expect(cursors(ring) == expected)
        #expect(ring.evicted == KindCounts(elements: 1))
        #expect(cursors(ring, after: 2) == Array(expected[1...]))
        #expect(cursors(ring, after: expected[1]) == [expected[2]])
        #expect(cursors(ring, after: expected[2]) == [])
        #expect(
            ring.published(upTo: expected[1])
                == KindCounts(elements: fails ? 1 : 2, errors: fails ? 1 : 0, executions: 1))
        #expect(brief.all.map(\.cursor) == Array(2...brief.lastCursor))
        ring.append(element(brief.lastCursor + 1), skip: 0)
        #expect(cursors(ring) == [brief.lastCursor + 1])
        #expect(ring.evicted == KindCounts(elements: fails ? 1 : 2, errors: fails ? 1 : 0, executions: 2))
        #expect(ring.evictedThrough.executions == expected[2])
        #expect((fails ? ring.evictedThrough.errors : ring.evictedThrough.elements) == expected[1])
    }

    @Test("finds the events after a cursor at any place")
    func after() {
        let ring = ring(events: 20)
        // Every third cursor, far more of them than it keeps.
        for number in 1...57 as ClosedRange<UInt64> { ring.append(element(number * 3), skip: 0) }
        let kept = (38...57).map { UInt64($0 * 3) }
        for cursor in 100...173 as ClosedRange<UInt64> {
            #expect(cursors(ring, after: cursor) == kept.filter { $0 > cursor }, "after \(cursor)")
        }
    }

    @Test("returns the newest event of each requested kind, in order")
    func newest() {
        let ring = ring()
        #expect(ring.newest([.elements, .errors, .executions, .enabled]).isEmpty)
        ring.append(refusal(1), skip: 0)
        ring.append(element(2), skip: 0)
        ring.append(brief(after: 2), skip: 0)
        #expect(ring.newest([.elements, .errors]).map(\.cursor) == [1, 6])
        #expect(ring.newest([.elements, .executions, .executing]).map(\.cursor) == [6, 7])
        ring.append(element(10), skip: 0)
        #expect(ring.newest([.elements, .executions]).map(\.cursor) == [7, 10])
    }

    @Test("returns no newest event of a kind if all were dropped")
    func newestGone() {
        let ring = ring(events: 3)
        ring.append(refusal(1), skip: 0)
        for cursor in 2...4 as ClosedRange<UInt64> { ring.append(element(cursor), skip: 0) }
        #expect(ring.newest(.all).map(\.cursor) == [4])
        ring.append(element(5, bytes: 2 << 20), skip: 0)
        #expect(ring.newest(.all).isEmpty, "alone it is too much")
        ring.append(brief(after: 5, fails: true), skip: 0)
        #expect(ring.newest(.all).map(\.cursor) == [9, 10])
    }

    @Test("knows at each cursor how many events had been published", arguments: [true, false])
    func toldUpTo(_ disables: Bool) {
        let ring = ring()
        var last: UInt64 = 0
        var events: [HostEvent] = []
        for round in 0..<6 {
            events.append(round % 3 == 0 ? refusal(last + 1) : element(last + 1))
            ring.append(events[events.count - 1], skip: 0)
            let brief = brief(after: last + 1, disables: disables, fails: round % 2 == 0)
            ring.append(brief, skip: 0)
            events += brief.all
            last = brief.lastCursor
        }
        for cursor in 0...last {
            var expected = KindCounts()
            for event in events where event.cursor <= cursor { expected.update(event.kind) { $0 += 1 } }
            #expect(ring.published(upTo: cursor) == expected, "up to \(cursor)")
        }
    }

    @Test("remembers how many events were published when the log began to leave events out")
    func skip() {
        let ring = ring()
        ring.append(element(1), skip: 0)
        ring.append(element(2), skip: 0)
        ring.append(refusal(3), skip: 1)
        ring.append(element(4), skip: 1)
        #expect(ring.published(atSkip: 1) == KindCounts(elements: 2))
        #expect(ring.published(atSkip: 2) == KindCounts(elements: 3, errors: 1), "nothing has come since")
        ring.append(brief(after: 4), skip: 3)
        #expect(ring.published(atSkip: 3) == KindCounts(elements: 3, errors: 1))
    }
}

extension EventRing {
    fileprivate func append(_ event: HostEvent, skip number: UInt64) {
        append(event, .event(event), skip: number)
    }
}
