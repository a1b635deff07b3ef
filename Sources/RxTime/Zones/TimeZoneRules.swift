/// The clock changes of a time zone: a table of past ones, and a rule for those after it.
public struct TimeZoneRules: Hashable, Sendable {
    /// The name by which the zone was found, such as `Europe/Berlin`.
    public let name: String
    private let initial: LocalTimeType
    private let changes: [ZoneChange]
    private let rule: PosixRule?

    /// `initial` applies before the first change. The changes must ascend; after the last of them the rule applies, or,
    /// without a rule, the type of the last change.
    init(name: String, initial: LocalTimeType, changes: [ZoneChange], rule: PosixRule?) {
        self.name = name
        self.initial = initial
        self.changes = changes
        self.rule = rule
    }

    /// Coordinated Universal Time.
    public static let utc = TimeZoneRules(name: "UTC", offset: 0, abbreviation: "UTC")

    /// A clock that is that many seconds ahead of UTC, or behind it, and never changes.
    init(name: String, offset: Int, abbreviation: String) {
        let type = LocalTimeType(offset: offset, isDaylight: false, abbreviation: abbreviation)
        self.init(name: name, initial: type, changes: [], rule: nil)
    }

    /// The period that contains an instant.
    public func period(at instant: Instant) -> ZonePeriod {
        let seconds = instant.seconds
        if let rule {
            guard let last = changes.last else { return rule.period(at: seconds, notBefore: .min) }
            if seconds >= last.time { return rule.period(at: seconds, notBefore: last.time) }
        }
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].time <= seconds { low = middle + 1 } else { high = middle }
        }
        return ZonePeriod(
            start: low == 0 ? Instant(microseconds: .min) : Instant(seconds: changes[low - 1].time),
            end: low == changes.count ? Instant(microseconds: .max) : Instant(seconds: changes[low].time),
            type: low == 0 ? initial : changes[low - 1].type)
    }

    /// The local times that the zone has now and will have, standard time first: two, or one without summer time.
    var currentTypes: [LocalTimeType] {
        guard let rule else { return [changes.last?.type ?? initial] }
        return [rule.standard] + (rule.daylight.map { [$0.type] } ?? [])
    }
}
