internal import RxStreams
internal import RxTime

/// One test, from its texts to what was recorded.
struct StreamTestRun {
    let start: Instant
    let expected: MarbleText
    private let world: TestWorld
    private let end: Instant?

    init(
        _ test: StreamTestDefinition, _ configuration: TestedConfiguration, _ evaluator: any ProgramEvaluator
    ) throws(TestFault) {
        expected = try Self.marbles(test.expect, "expect")
        let zone = try Self.zone(test, configuration)
        start = try Self.instant(test.from, "from", zone) ?? Instant(seconds: 946_684_800)
        end = try Self.instant(test.to, "to", zone)
        if let end, end < start { throw TestFault("to: the test ends before it begins") }
        let scope = try TestScope(test, configuration)
        if end == nil, let source = scope.repeatingSource {
            throw TestFault("the source \"\(source)\" goes on for ever: the test needs `to`")
        }
        world = TestWorld(test, scope, configuration, zone, from: start, to: end, evaluator)
        try world.connect()
    }

    func run() throws(TestFault) -> [RecordedEvent] { try world.run(until: end) }

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

    static func marbles(_ text: String, _ key: String) throws(TestFault) -> MarbleText {
        do { return try MarbleText(parsing: text) } catch { throw TestFault("\(key): \(error)") }
    }
}
