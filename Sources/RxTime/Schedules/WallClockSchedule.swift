/// The slots of a calendar or cron expression in a zone.
public struct WallClockSchedule: Hashable, Sendable {
    private let pattern: LocalPattern
    /// The zone whose clock decides.
    public let zone: TimeZoneRules
    /// If every instant counts whose local time matches; otherwise each local time has one slot.
    public let isInterval: Bool

    init(pattern: LocalPattern, zone: TimeZoneRules, isInterval: Bool) {
        self.pattern = pattern
        self.zone = zone
        self.isInterval = isInterval
    }

    func next(after instant: Instant) -> Instant? {
        isInterval ? interval.next(after: instant) : fixed.next(after: instant)
    }

    func previous(before instant: Instant) -> Instant? {
        isInterval ? interval.previous(before: instant) : fixed.previous(before: instant)
    }

    func count(after first: Instant, through last: Instant) -> Int {
        isInterval ? interval.count(after: first, through: last) : fixed.count(after: first, through: last)
    }

    func isMoved(_ slot: Instant) -> Bool { !isInterval && fixed.isMoved(slot) }

    private var interval: IntervalSlots<LocalPattern> { IntervalSlots(times: pattern, zone: zone) }
    private var fixed: FixedSlots<LocalPattern> { FixedSlots(times: pattern, zone: zone) }
}
