internal import RxTime

/// Decides which slot of a schedule is emitted when. It has no clock: every function gets the time.
///
/// A slot is due its jitter after its instant. One that came due while nothing could be emitted (before the start,
/// during a suspension or a stall, while the clock was moved past it, before the last element was settled) is a missed
/// one, and the policy decides about it. Every slot after the first start is emitted once, or counted once in `missed`
/// of the next element: the number of slots between an element and the one before it.
struct SlotPlan {
    /// How late a slot may be that is not missed, in microseconds: a loaded machine needs that long at times.
    static let grace: Int64 = 1_000_000
    /// How late it may be if no other slot has passed meanwhile, in microseconds. A machine that is stopped for longer
    /// without its clock being set was stopped on purpose.
    static let longGrace: Int64 = 60_000_000

    /// A slot to emit.
    struct Emission: Hashable {
        let slot: Instant
        /// The slots before it that were not emitted.
        let missed: Int
    }

    private(set) var schedule: Schedule
    private let policy: MissedPolicy
    private let window: Int64
    private let jitter: Int64

    /// Slots up to it, inclusive, were emitted or are not owed.
    private var floor: Instant
    /// Slots up to it are in the count of an element, or in `carried`.
    private var countFrom: Instant
    /// The last slot that was emitted, or the position of the run before: no slot up to it is emitted again.
    private var last: Instant
    /// Slots up to it are missed ones.
    private var missedThrough: Instant
    /// Slots that were not emitted, of a schedule that is not in force any more.
    private var carried = 0
    /// If an element was emitted and is not settled.
    private(set) var isWaiting = false

    /// A plan that goes on after the slot `last`; nil for a first start, at which nothing is missed.
    init(
        _ schedule: Schedule, policy: MissedPolicy, window: Int64, jitter: Int64, after last: Instant?, at now: Instant
    ) {
        self.schedule = schedule
        self.policy = policy
        self.window = max(0, window)
        self.jitter = jitter
        let present = now.adding(microseconds: -jitter)
        floor = last ?? present
        countFrom = floor
        self.last = last ?? .beginning
        missedThrough = present
    }

    /// The slot to emit now, with which the plan waits for `settle`; nil if there is none.
    mutating func take(at now: Instant) -> Emission? {
        guard !isWaiting else { return nil }
        let present = present(now)
        guard let newest = schedule.previous(before: present.adding(microseconds: 1)), newest > floor else {
            return nil
        }
        guard let slot = choose(newest, isPunctual: isPunctual(newest, present), present) else {
            floor = newest
            return nil
        }
        let between = max(0, schedule.count(after: countFrom, through: slot) - 1)
        defer { carried = 0 }
        floor = slot
        countFrom = max(countFrom, slot)
        last = slot
        isWaiting = true
        return Emission(slot: slot, missed: carried + between)
    }

    /// The last element has taken effect: what came due meanwhile is missed.
    mutating func settle(at now: Instant) {
        isWaiting = false
        missedThrough = max(missedThrough, present(now))
    }

    /// The clock was set or the machine was suspended. What this skipped is missed, and what it brought back and has
    /// not been emitted comes again.
    mutating func clockChanged(at now: Instant) {
        let present = present(now)
        floor = max(last, min(floor, present))
        countFrom = max(last, min(countFrom, present))
        missedThrough = max(min(missedThrough, present), present.adding(microseconds: -Self.grace))
    }

    /// Goes on with another schedule, since the zone has changed. What the one before it still owed is counted.
    mutating func change(to schedule: Schedule, at now: Instant) {
        let present = max(last, present(now))
        carried += max(0, self.schedule.count(after: countFrom, through: present))
        self.schedule = schedule
        floor = present
        countFrom = present
    }

    /// The instants of the next slots that are not due yet or still to be emitted, in order.
    func upcoming(_ count: Int, at now: Instant) -> [Instant] {
        guard count > 0 else { return [] }
        let start = isWaiting ? max(floor, present(now)) : floor
        return Array(schedule.slots(after: start, through: .horizon).prefix(count))
    }

    /// When `take` has something to decide; nil while it waits, and if there are no more slots.
    var wakeUp: Instant? {
        isWaiting ? nil : schedule.next(after: floor).map(due)
    }

    /// If there is no slot any more.
    var isOver: Bool { !isWaiting && schedule.next(after: floor) == nil }

    /// If the clock was set back behind the last slot, so that there is none for some time: no slot is emitted twice.
    func isAhead(at now: Instant) -> Bool { last > present(now).adding(microseconds: Self.grace) }

    /// When a slot is due.
    func due(_ slot: Instant) -> Instant { slot.adding(microseconds: jitter) }

    /// The instant of the slots that are due now.
    private func present(_ now: Instant) -> Instant { now.adding(microseconds: -jitter) }

    private func isPunctual(_ newest: Instant, _ present: Instant) -> Bool {
        guard newest > missedThrough else { return false }
        if newest >= present.adding(microseconds: -Self.grace) { return true }
        guard newest >= present.adding(microseconds: -Self.longGrace) else { return false }
        return schedule.previous(before: newest).map { $0 <= floor } ?? true
    }

    /// The slot to emit of those that are due, of which there is one at least; nil for none.
    private func choose(_ newest: Instant, isPunctual: Bool, _ present: Instant) -> Instant? {
        let old = present.adding(microseconds: -window).adding(microseconds: -1)
        switch policy {
        case .none: return isPunctual ? newest : nil
        case .once: return isPunctual || newest > old ? newest : nil
        case .all:
            var least = max(floor, old)
            if isPunctual { least = min(least, newest.adding(microseconds: -1)) }
            if schedule.count(after: least, through: present) > MissedSlots.most {
                least = oldestOwed(newest).adding(microseconds: -1)
            }
            return schedule.next(after: least).flatMap { $0 <= newest ? $0 : nil }
        }
    }

    /// The oldest of the newest slots, as many as are owed at most.
    private func oldestOwed(_ newest: Instant) -> Instant {
        var slot = newest
        for _ in 1..<MissedSlots.most {
            guard let before = schedule.previous(before: slot) else { break }
            slot = before
        }
        return slot
    }
}
