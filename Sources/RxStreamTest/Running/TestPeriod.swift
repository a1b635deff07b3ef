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

    init(_ test: StreamTestDefinition, _ configuration: TestedConfiguration) throws(StreamTestFault) {
        zones = configuration.zones
        zone = try Self.zone(test, configuration)
        start = try Self.instant(test.from, "from", zone) ?? Instant(seconds: 946_684_800)
        end = try Self.instant(test.to, "to", zone)
        if let end, end < start { throw StreamTestFault("the test ends before it begins", key: "to") }
    }

    private static func zone(
        _ test: StreamTestDefinition, _ configuration: TestedConfiguration
    ) throws(StreamTestFault) -> TimeZoneRules {
        guard let name = test.zone else { return configuration.zone }
        do { return try configuration.zones.zone(named: name) } catch {
            throw StreamTestFault("\(error)", key: "zone")
        }
    }

    private static func instant(
        _ text: String?, _ key: String, _ zone: TimeZoneRules
    ) throws(StreamTestFault) -> Instant? {
        guard let text else { return nil }
        do { return try AtTime(text).instant(in: zone) } catch {
            throw StreamTestFault("\(error)", key: key)
        }
    }
}
