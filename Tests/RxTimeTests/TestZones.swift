import RxTime
import Testing

/// A zone of the system's tzdata.
func zone(_ name: String) throws -> TimeZoneRules { try ZoneFiles.system().zone(named: name) }

/// The instant of a time with an offset, such as `2026-03-29T01:00:00Z`.
func at(_ text: String) throws -> Instant { try AtTime(text).instant(in: .utc) }

/// An instant on the clock of a zone: `2026-03-29T03:00:00+02:00`.
func local(_ instant: Instant, _ zone: TimeZoneRules) -> String {
    SlotElement(scheduled: instant, zone: zone, fired: instant, missed: 0).local
}

extension Schedule {
    /// The first slots after an instant, on the clock of a zone.
    func texts(_ count: Int, after start: String, _ zone: TimeZoneRules = .utc) throws -> [String] {
        try slots(after: at(start), through: .horizon).prefix(count).map { local($0, zone) }
    }
}
