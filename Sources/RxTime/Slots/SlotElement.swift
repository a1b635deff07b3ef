/// The element that a stream emits for a slot.
public struct SlotElement: Hashable, Sendable {
    /// The slot, in UTC: `2026-03-29T01:00:00.000Z`, with microseconds where they are not zero.
    public let scheduled: String
    /// The slot on the clock of the zone: `2026-03-29T03:00:00+02:00`, with a fraction where it is not zero.
    public let local: String
    /// When it was fired, in UTC.
    public let fired: String
    /// How many slots before this one came due and were not fired.
    public let missed: Int

    /// The element for the slot `scheduled`.
    public init(scheduled: Instant, zone: TimeZoneRules, fired: Instant, missed: Int) {
        self.scheduled = TimeText.utc(scheduled)
        local = TimeText.local(scheduled, offset: zone.period(at: scheduled).offset)
        self.fired = TimeText.utc(fired)
        self.missed = missed
    }
}
