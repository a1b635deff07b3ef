internal import RxAction
internal import RxJSON
internal import RxStreams
internal import RxTime

/// The limits of a test.
enum TestLimits {
    /// The most things that happen in one test: beyond it, feedback goes on for ever.
    static let steps = 5_000_000
}

/// Everything that a test runs, in virtual time. It connects the parts, which do not know it, and records what happens.
// Unchecked: a test runs on one thread.
final class TestWorld: @unchecked Sendable {
    private let test: StreamTestDefinition
    private let period: TestPeriod
    private let clock: TestClock
    private var streams: [TestedStream] = []
    private var bindings: [TestedBinding] = []
    private var ports: [ExternalPort] = []
    private var timeSources: TimeSources?
    private var recorded: [RecordedEvent] = []

    init(_ test: StreamTestDefinition, _ period: TestPeriod) {
        self.test = test
        self.period = period
        clock = TestClock(period.start)
    }

    // MARK: Setup

    /// Builds what the test runs, and schedules what its sources emit.
    func connect(
        _ scope: TestScope, _ configuration: TestedConfiguration, _ evaluator: any ProgramEvaluator
    ) throws(TestFault) {
        let surroundings = TestSurroundings(
            clock: clock, evaluator: evaluator, inputFault: configuration.inputFault, actions: actions(configuration),
            reactors: configuration.reactors.mapValues { RunningReactor($0) })
        for definition in scope.streams {
            streams.append(
                TestedStream(definition, surroundings) { [unowned self] in stream(definition.name, did: $0) })
        }
        for definition in scope.bindings {
            let canWait = scope.canWait(definition.stream)
            bindings.append(
                TestedBinding(definition, surroundings, canWait: canWait) { [unowned self] in
                    binding(definition, did: $0)
                })
        }
        connectStreams()
        try GivenSources(ports).schedule(test, on: clock)
        timeSources = TimeSources(ports, period, clock)
        try timeSources?.schedule()
        for stream in streams { stream.begin() }
    }

    private func actions(_ configuration: TestedConfiguration) -> [String: MockedAction] {
        var actions: [String: MockedAction] = [:]
        for (name, outcomes) in test.mock {
            actions[name] = MockedAction(name, configuration.overlaps[name] ?? .reject, outcomes, clock) {
                [unowned self] channel, event in
                for port in ports where port.reads(action: name, channel) && !port.isGiven { port.send(event) }
            }
        }
        return actions
    }

    private func connectStreams() {
        let byName = Dictionary(uniqueKeysWithValues: streams.map { ($0.name, $0) })
        for stream in streams {
            for port in stream.running.context.ports {
                switch port.source {
                case .stream(let name, let channel): byName[name]?.add(reader: stream, port, channel)
                case .external(let source): ports.append(ExternalPort(stream, port, source, clock))
                case .merge, .combineLatest, .zip: break
                }
            }
        }
    }

    // MARK: Running

    func run() throws(TestFault) -> [RecordedEvent] {
        clock.deliver()
        defer { stop() }
        var steps = 0
        while let next = streams.reduce(clock.next, { earliest($0, $1.running.next) }),
            period.end.map({ next <= $0 }) ?? true
        {
            steps += 1
            guard steps < TestLimits.steps else {
                throw TestFault("the test does not end: give `to`, or break the feedback")
            }
            clock.move(to: next)
            for stream in streams {
                stream.running.advance(to: next)
                clock.deliver()
            }
            clock.runDue()
        }
        return recorded
    }

    /// Lets go of what is still in flight.
    private func stop() {
        for stream in streams { stream.running.stop() }
        clock.removeMessages()
    }

    private func earliest(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    // MARK: What happens

    private func stream(_ name: String, did event: TestedStream.Event) {
        let isTested = test.target == .stream(name)
        switch event {
        case .element(let element):
            if isTested { record(.element(element.value)) }
            for binding in bindings where binding.definition.stream == name {
                clock.post { binding.take(element) }
            }
        case .failure(let failure): if isTested { record(.error(failure.message)) }
        case .end: if isTested { record(.end) }
        }
    }

    private func binding(_ binding: BindingDefinition, did event: TestedBinding.Event) {
        switch event {
        case .fired(let firing):
            if case .action(let name) = binding.target, test.target == .action(name) { record(.firing(firing.json)) }
            for stream in streams where stream.name == binding.stream { stream.send(firing.json, to: .firings) }
        case .ended: timeSources?.executionEnded(of: binding.stream)
        case .state(let state):
            let name = binding.target.name
            if test.target == .reactor(name) { record(.element(state)) }
            for port in ports where port.reads(reactor: name) && !port.isGiven { port.send(state) }
        }
    }

    private func record(_ content: RecordedEvent.Content) {
        recorded.append(RecordedEvent(content, at: clock.now.microseconds - period.start.microseconds))
    }
}
