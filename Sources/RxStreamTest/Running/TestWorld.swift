internal import RxAction
internal import RxJSON
internal import RxStreams
internal import RxTime

/// Everything that a test runs, in virtual time. It connects the parts, which do not know it, and records what happens.
// Unchecked: a test runs on one thread.
final class TestWorld: @unchecked Sendable {
    private let test: StreamTestDefinition
    private let period: TestPeriod
    private let clock: TestClock
    private var streams: [TestedStream] = []
    /// In the order of their names.
    private var reactors: [(name: String, reactor: RunningReactor)] = []
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
    ) throws(StreamTestFault) {
        let actions = actions(configuration)
        let tested = scope.reactors.sorted().compactMap { name in configuration.reactors[name].map { (name, $0) } }
        reactors = tested.map { name, reactor in
            (name, RunningReactor(reactor, actions, clock) { [unowned self] in self.reactor(name, became: $0) })
        }
        let surroundings = TestSurroundings(
            clock: clock, evaluator: evaluator, actions: actions,
            reactors: Dictionary(uniqueKeysWithValues: reactors.map { ($0.name, $0.reactor) }))
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
        let given = GivenSources(ports, merged: tested.flatMap(\.1.sources))
        try given.schedule(test, on: clock) { [unowned self] in merge($0, $1) }
        timeSources = TimeSources(ports, period, clock)
        try timeSources?.schedule()
        for stream in streams { stream.begin() }
        // The current values of levels.
        for (name, reactor) in reactors { state(of: name, is: reactor.state) }
    }

    private func actions(_ configuration: TestedConfiguration) -> MockedActions {
        var actions: [String: MockedAction] = [:]
        for (name, outcomes) in test.mock {
            actions[name] = MockedAction(name, configuration.overlaps[name] ?? .reject, outcomes, clock) {
                [unowned self] channel, event in
                action(name, channel, event)
            }
        }
        return MockedActions(actions, inputFault: configuration.inputFault)
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

    /// Runs until nothing is pending, or until the end; nil if the test may not go on.
    func run(while mayGoOn: () -> Bool) throws(StreamTestFault) -> [RecordedEvent]? {
        clock.deliver()
        defer { stop() }
        var moments = 0
        while let next = streams.reduce(clock.next, { earliest($0, $1.running.next) }),
            period.end.map({ next <= $0 }) ?? true
        {
            moments += 1
            clock.move(to: next)
            guard moments < TestLimits.moments, !clock.isEndless else { break }
            guard mayGoOn() else { return nil }
            for stream in streams {
                stream.running.advance(to: next)
                clock.deliver()
            }
            clock.runDue()
        }
        guard moments < TestLimits.moments, !clock.isEndless else {
            throw StreamTestFault("the test does not end: give `to`, or break the feedback")
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
        }
    }

    private func reactor(_ name: String, became state: RawJSON) {
        if test.target == .reactor(name) { record(.element(state)) }
        self.state(of: name, is: state)
    }

    private func state(of name: String, is state: RawJSON) {
        for port in ports where port.reads(reactor: name) && !port.isGiven { port.take(state: state) }
        if test.given["reactor:\(name)"] == nil { merge(.reactor(name), state) }
    }

    /// An event of an execution, for the sources that read it.
    private func action(_ name: String, _ channel: String, _ event: RawJSON) {
        for port in ports where port.reads(action: name, channel) && !port.isGiven { port.send(event) }
        guard channel == "elements", test.given["action:\(name)"] == nil, let value = event.value()["value"] else {
            return
        }
        merge(.action(name), RawJSON(value))
    }

    /// Gives a value to the reactors that merge its source.
    private func merge(_ source: TestedReactor.Source, _ value: RawJSON) {
        for (_, reactor) in reactors { reactor.merge(source, value) }
    }

    private func record(_ content: RecordedEvent.Content) {
        recorded.append(RecordedEvent(content, at: clock.now.microseconds - period.start.microseconds))
    }
}
