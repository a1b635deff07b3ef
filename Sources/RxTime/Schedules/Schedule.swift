/// When a stream has its slots.
public enum Schedule: Hashable, Sendable {
    /// At regular distances.
    case every(EverySchedule)
    /// When the clock of a zone shows certain times.
    case wallClock(WallClockSchedule)
    /// At one instant.
    case once(Instant)

    /// The first slot after an instant; nil if there is none before the year 2200.
    ///
    /// It takes a few microseconds, also for rare days. The bound is one pass over the 2,760 months of these years and
    /// one step for each clock change that skips what would match: less than a millisecond.
    public func next(after instant: Instant) -> Instant? {
        let start = max(instant, .beginning)
        guard start < .horizon else { return nil }
        switch self {
        case .every(let every): return every.next(after: start)
        case .wallClock(let schedule): return schedule.next(after: start)
        case .once(let slot): return slot > instant ? slot : nil
        }
    }

    /// The last slot before an instant; nil if there is none since 1970.
    public func previous(before instant: Instant) -> Instant? {
        let end = min(instant, .horizon)
        guard end > .beginning else { return nil }
        switch self {
        case .every(let every): return every.previous(before: end)
        case .wallClock(let schedule): return schedule.previous(before: end)
        case .once(let slot): return slot < instant ? slot : nil
        }
    }

    /// How many slots are after `first` and not after `last`. It does not visit each slot: millions of them take as
    /// long as a few.
    public func count(after first: Instant, through last: Instant) -> Int {
        let (start, end) = (max(first, .beginning), min(last, .horizon))
        switch self {
        case .every(let every): return every.count(after: start, through: end)
        case .wallClock(let schedule): return schedule.count(after: start, through: end)
        case .once(let slot): return first < slot && slot <= last ? 1 : 0
        }
    }

    /// If a slot of this schedule is later than the expression states, since the clock skips that time in its night.
    public func isMoved(_ slot: Instant) -> Bool {
        switch self {
        case .every(let every): every.isMoved(slot)
        case .wallClock(let schedule): schedule.isMoved(slot)
        case .once: false
        }
    }

    /// The slots after `first` and not after `last`, in order.
    public func slots(after first: Instant, through last: Instant) -> SlotSequence {
        SlotSequence(schedule: self, position: first, last: last)
    }
}
