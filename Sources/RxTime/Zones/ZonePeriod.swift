/// A span of time in which a zone's clock runs without a change.
public struct ZonePeriod: Hashable, Sendable {
    /// The first instant; the smallest one if the period has no beginning.
    public let start: Instant
    /// The first instant after the period; the greatest one if the period has no end.
    public let end: Instant
    let type: LocalTimeType

    /// Seconds to add to UTC.
    public var offset: Int { type.offset }
    /// If the zone's rules mark this period as daylight saving time.
    public var isDaylight: Bool { type.isDaylight }
    /// The abbreviation of the local time, such as `CEST` or `+04`.
    public var abbreviation: String { type.abbreviation }

    /// The local time at an instant of this period.
    public func local(_ instant: Instant) -> LocalTime {
        LocalTime(microseconds: instant.microseconds.addingWithinBounds(shift))
    }

    /// The instant at which a clock with this period's offset shows a local time; it may lie outside the period.
    func instant(_ local: LocalTime) -> Instant {
        Instant(microseconds: local.microseconds.addingWithinBounds(-shift))
    }

    private var shift: Int64 { Int64(type.offset) * Microseconds.perSecond }
}
