internal import RxTime

/// When a test begins and ends, and in which zone.
struct TestPeriod {
    let start: Instant
    /// Nil for when nothing is pending.
    let end: Instant?
    /// The zone of the test, and of sources that name none.
    let zone: TimeZoneRules
    /// Where the rules of other zones come from.
    let zones: ZoneFiles

    init(_ test: StreamTestDefinition, _ configuration: TestedConfiguration) throws(TestFault) {
        zones = configuration.zones
        zone = try Self.zone(test, configuration)
        start = try Self.instant(test.from, "from", zone) ?? Instant(seconds: 946_684_800)
        end = try Self.instant(test.to, "to", zone)
        if let end, end < start { throw TestFault("to: the test ends before it begins") }
    }

    private static func zone(
        _ test: StreamTestDefinition, _ configuration: TestedConfiguration
    ) throws(TestFault) -> TimeZoneRules {
        guard let name = test.zone else { return configuration.zone }
        do { return try configuration.zones.zone(named: name) } catch { throw TestFault("zone: \(error)") }
    }

    private static func instant(
        _ text: String?, _ key: String, _ zone: TimeZoneRules
    ) throws(TestFault) -> Instant? {
        guard let text else { return nil }
        do { return try AtTime(text).instant(in: zone) } catch { throw TestFault("\(key): \(error)") }
    }
}
