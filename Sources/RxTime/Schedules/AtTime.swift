/// One time, in the form of RFC 3339 and TOML: `2026-12-24T18:00:00`, with or without seconds, a fraction, and an
/// offset (`Z`, `+01:00`). Instead of `T` there may be a space.
public struct AtTime: Hashable, Sendable {
    /// The time as it was written.
    public let text: String
    private let local: LocalTime
    /// Seconds ahead of UTC; nil for a time of the zone.
    private let offset: Int?

    /// Whether the text has an offset, so that the time means the same instant in every zone.
    public var hasOffset: Bool { offset != nil }

    /// Reads a time of the years 1970 to 2199; throws the first fault, with its position.
    public init(_ text: String) throws(ExpressionFault) {
        var reader = DateTimeReader(text)
        (local, offset) = try reader.read()
        self.text = text
    }

    /// The instant: that of the offset, if the text has one. Otherwise the time is one of the zone's clock; if the
    /// clock skips it, the first instant after it, and if it occurs twice, the first.
    public func instant(in zone: TimeZoneRules) -> Instant {
        guard let offset else { return zone.firstInstant(reaching: local) }
        return Instant(microseconds: local.microseconds - Int64(offset) * Microseconds.perSecond)
    }

    /// The one slot.
    public func schedule(in zone: TimeZoneRules) -> Schedule { .once(instant(in: zone)) }
}
