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
    ) throws(StreamTestFault) {
        expected = try Self.marbles(test.expect, "expect")
        let zone = try Self.zone(test, configuration)
        start = try Self.instant(test.from, "from", zone) ?? Instant(seconds: 946_684_800)
        end = try Self.instant(test.to, "to", zone)
        if let end, end < start { throw StreamTestFault("the test ends before it begins", key: "to") }
        let scope = try TestScope(test, configuration)
        if end == nil, let source = scope.repeatingSource {
            throw StreamTestFault("the source \"\(source)\" goes on for ever: the test needs `to`")
        }
        world = TestWorld(test, scope, configuration, zone, from: start, to: end, evaluator)
        try world.connect()
    }

    /// What happened; nil if the test may not go on.
    func run(while mayGoOn: () -> Bool) throws(StreamTestFault) -> [RecordedEvent]? {
        try world.run(until: end, while: mayGoOn)
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

    static func marbles(_ text: String, _ key: String...) throws(StreamTestFault) -> MarbleText {
        do { return try MarbleText(parsing: text) } catch {
            var fault = StreamTestFault("\(error)")
            fault.key = key
            throw fault
        }
    }
}
