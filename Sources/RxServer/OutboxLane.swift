internal import Rx

/// Where the events of one subscription wait in the outbox. The outbox alone changes it.
final class OutboxLane {
    /// Where an event waits, and which it is.
    struct Place {
        let position: UInt64
        let cursor: UInt64
    }

    // Used on the loop alone, in accesses that call nothing which knows the lane.
    @exclusivity(unchecked) private var events = Queue<Place>()
    @exclusivity(unchecked) private var levels: [EncodedEvent.Level: Place] = [:]
    /// The outbox's base that the positions are relative to.
    @exclusivity(unchecked) private var base: UInt64 = 0

    /// Events that wait; levels are not counted.
    var count: Int { events.count }

    /// Where a level waits.
    func place(of level: EncodedEvent.Level) -> Place? { levels[level] }

    /// An event has begun to wait.
    func append(_ event: EncodedEvent, at position: UInt64) {
        let place = Place(position: position, cursor: event.cursor)
        if let level = event.level { levels[level] = place } else { events.append(place) }
    }

    /// The oldest event, which waits no longer.
    func popFirst() -> Place? { events.removeFirst() }

    /// An event waits no longer, because it is written; events are written oldest first.
    func remove(_ event: EncodedEvent) {
        if let level = event.level { levels[level] = nil } else { events.removeFirst() }
    }

    /// A level waits no longer, because it is dropped.
    func forget(_ level: EncodedEvent.Level) { levels[level] = nil }

    /// Forgets all places if they are relative to another base; the outbox has moved everything that waits.
    func rebase(to base: UInt64) {
        guard self.base != base else { return }
        self.base = base
        events.clear()
        levels.removeAll(keepingCapacity: true)
    }

    /// Whether a level that waited while events around it were lost, or the newest event that waits, is between the two
    /// cursors.
    func isAnyWaiting(after first: UInt64, before last: UInt64) -> Bool {
        func isBetween(_ place: Place) -> Bool { first < place.cursor && place.cursor < last }
        return events.last.map(isBetween) ?? false || levels.values.contains(where: isBetween)
    }
}
