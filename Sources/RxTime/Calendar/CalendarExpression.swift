/// An expression in the grammar of systemd.time(7), section "CALENDAR EVENTS": `Mon..Fri 08:00`, `*-*~01 22:30`,
/// `quarterly`, `*:0/15 Europe/Berlin`.
///
/// The grammar is systemd's, with the same bounds. What differs is how a schedule treats clock changes, and that an
/// expression that can never occur is a fault.
public struct CalendarExpression: Hashable, Sendable {
    /// The expression as it was written.
    public let text: String
    /// The zone that the expression names; nil if it names none.
    public let zone: ZoneReference?
    /// If the hour or the minute is `*`: such a schedule has a slot whenever the local time matches.
    public let isInterval: Bool
    private let pattern: LocalPattern

    /// Reads an expression; throws the first fault, with its position.
    public init(_ text: String) throws(ExpressionFault) {
        let (end, zone) = Self.splitZone(text)
        let result = try CalendarParser.parse(text, to: end)
        if result.pattern.isEmpty { throw .never(text) }
        if result.isAbsolute, let zone, zone.name.uppercased() != "UTC" {
            throw ExpressionFault(text, at: zone.position, "a number of seconds since 1970 cannot have a time zone")
        }
        self.text = text
        self.zone = result.isAbsolute ? ZoneReference(name: "UTC", position: 0) : zone
        isInterval = result.isInterval
        pattern = result.pattern
    }

    /// The slots of the expression in a zone; that of the expression, if it names one, is the caller's to find.
    public func schedule(in zone: TimeZoneRules) -> Schedule {
        .wallClock(WallClockSchedule(pattern: pattern, zone: zone, isInterval: isInterval))
    }

    /// The zone after the last space, and where the rest ends. Only a zone begins with a letter or a sign there.
    private static func splitZone(_ text: String) -> (end: Int, zone: ZoneReference?) {
        let bytes = Array(text.utf8)
        guard let space = bytes.lastIndex(of: 0x20), space + 1 < bytes.count else { return (bytes.count, nil) }
        let first = bytes[space + 1]
        guard (0x61...0x7A).contains(first | 0x20) || first == 0x2B || first == 0x2D else { return (bytes.count, nil) }
        return (
            space, ZoneReference(name: String(decoding: bytes[(space + 1)...], as: UTF8.self), position: space + 1)
        )
    }
}
