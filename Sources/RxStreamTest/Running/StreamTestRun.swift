internal import RxStreams
internal import RxTime

/// One test, from its texts to what was recorded.
struct StreamTestRun {
    let expected: MarbleText
    private let period: TestPeriod
    private let world: TestWorld

    init(
        _ test: StreamTestDefinition, _ configuration: TestedConfiguration, _ evaluator: any ProgramEvaluator
    ) throws(StreamTestFault) {
        expected = try MarbleText(test.expect, of: "expect")
        period = try TestPeriod(test, configuration)
        let scope = try TestScope(test, configuration)
        if period.end == nil, let source = scope.repeatingSource {
            throw StreamTestFault("the source \"\(source)\" goes on for ever: the test needs `to`")
        }
        world = TestWorld(test, period)
        try world.connect(scope, configuration, evaluator)
    }

    var start: Instant { period.start }

    /// What happened; nil if the test may not go on.
    func run(while mayGoOn: () -> Bool) throws(StreamTestFault) -> [RecordedEvent]? {
        try world.run(while: mayGoOn)
    }
}
