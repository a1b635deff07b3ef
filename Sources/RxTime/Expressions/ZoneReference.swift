/// The zone at the end of a calendar expression, such as `Europe/Berlin` in `Mon 08:00 Europe/Berlin`.
public struct ZoneReference: Hashable, Sendable {
    /// As the expression has it: `UTC` in any case, an IANA name, or an abbreviation of the local zone such as `CET`.
    public let name: String
    /// Its first character in the expression, from 0.
    public let position: Int

    init(name: String, position: Int) {
        self.name = name
        self.position = position
    }

    /// The zone that is meant. An abbreviation that `local` uses now, such as `CEST` in Europe/Berlin, is the clock
    /// with that offset, without changes, all year; like systemd, abbreviations come before names. Throws what
    /// `ZoneFiles.zone(named:)` throws.
    public func rules(local: TimeZoneRules, files: ZoneFiles) throws(ZoneFault) -> TimeZoneRules {
        let wanted = name.uppercased()
        if wanted != "UTC", let type = local.currentTypes.first(where: { $0.abbreviation.uppercased() == wanted }) {
            return TimeZoneRules(name: type.abbreviation, offset: type.offset, abbreviation: type.abbreviation)
        }
        return try files.zone(named: name)
    }
}
