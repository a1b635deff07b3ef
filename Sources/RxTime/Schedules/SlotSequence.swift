/// The slots of a schedule between two instants, each found when it is asked for.
public struct SlotSequence: Sequence, IteratorProtocol, Sendable {
    private let schedule: Schedule
    private var position: Instant
    private let last: Instant

    init(schedule: Schedule, position: Instant, last: Instant) {
        self.schedule = schedule
        self.position = position
        self.last = last
    }

    /// The next slot; nil after the last one.
    public mutating func next() -> Instant? {
        guard let slot = schedule.next(after: position), slot <= last else { return nil }
        position = slot
        return slot
    }
}
