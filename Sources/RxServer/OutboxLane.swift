/// Where the events of one subscription wait in the outbox.
struct OutboxLane {
    /// Where an event waits, and which it is.
    struct Place {
        let position: UInt64
        let cursor: UInt64
    }

    private var events = PlaceQueue()
    private var levels: [EncodedEvent.Level: Place] = [:]
    /// The outbox's base that the positions are relative to.
    private var base: UInt64 = 0

    /// Events that wait; levels are not counted.
    var count: Int { events.count }

    /// Where a level waits.
    func place(of level: EncodedEvent.Level) -> Place? { levels[level] }

    /// An event has begun to wait.
    mutating func append(_ event: EncodedEvent, at position: UInt64) {
        let place = Place(position: position, cursor: event.cursor)
        if let level = event.level { levels[level] = place } else { events.append(place) }
    }

    /// The oldest event, which waits no longer.
    mutating func popFirst() -> Place? { events.popFirst() }

    /// An event waits no longer, because it is written; events are written oldest first.
    mutating func remove(_ event: EncodedEvent) {
        if let level = event.level { levels[level] = nil } else { _ = events.popFirst() }
    }

    /// Forgets all places if they are relative to another base; the outbox has moved everything that waits.
    mutating func rebase(to base: UInt64) {
        guard self.base != base else { return }
        self.base = base
        events.removeAll()
        levels.removeAll(keepingCapacity: true)
    }

    /// Whether a level that waited while events around it were lost, or the newest event that waits, is between the two
    /// cursors.
    func isAnyWaiting(after first: UInt64, before last: UInt64) -> Bool {
        func isBetween(_ place: Place) -> Bool { first < place.cursor && place.cursor < last }
        return events.last.map(isBetween) ?? false || levels.values.contains(where: isBetween)
    }
}

/// The places of events, oldest first.
private struct PlaceQueue {
    private var places: [OutboxLane.Place] = []
    private var head = 0

    var count: Int { places.count - head }
    var last: OutboxLane.Place? { head < places.count ? places.last : nil }

    mutating func append(_ place: OutboxLane.Place) {
        places.append(place)
    }

    mutating func popFirst() -> OutboxLane.Place? {
        guard head < places.count else { return nil }
        defer {
            head += 1
            if head > 64, head > places.count / 2 {
                places.removeSubrange(..<head)
                head = 0
            }
        }
        return places[head]
    }

    mutating func removeAll() {
        places.removeAll(keepingCapacity: true)
        head = 0
    }
}
