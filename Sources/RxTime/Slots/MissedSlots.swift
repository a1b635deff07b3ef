/// The slots that came due while a daemon was down, suspended, or stalled, and what is owed for them.
public struct MissedSlots: Hashable, Sendable {
    /// The most slots that are owed: `all` of a schedule of each second would otherwise keep an action busy for days.
    public static let most = 1_000

    /// The slots to fire, in order.
    public let owed: [Instant]
    /// How many slots came due that are not owed.
    public let skipped: Int

    /// What is owed for the slots of `schedule` that came due after `last`, the last slot that was claimed, up to
    /// `now`, inclusive. Slots older than `window` microseconds are never owed. With a jitter, both instants are
    /// earlier by its offset.
    public init(
        of schedule: Schedule, after last: Instant, through now: Instant, policy: MissedPolicy, window: Int64,
        most: Int = MissedSlots.most
    ) {
        let total = schedule.count(after: last, through: now)
        let least = max(last, now.adding(microseconds: -max(0, window)).adding(microseconds: -1))
        let limit =
            switch policy {
            case .none: 0
            case .once: 1
            case .all: most
            }
        var newest: [Instant] = []
        var end = now.adding(microseconds: 1)
        while newest.count < limit, let slot = schedule.previous(before: end), slot > least {
            newest.append(slot)
            end = slot
        }
        owed = newest.reversed()
        skipped = total - owed.count
    }
}
