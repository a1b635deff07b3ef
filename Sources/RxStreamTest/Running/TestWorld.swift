internal import Dispatch
internal import Rx
internal import RxAction
internal import RxJSON
internal import RxStreams
internal import RxTime

/// The limits of a test.
enum TestLimits {
    /// The most moments in one test: a slot each second for two months.
    static let moments = 5_000_000
    /// The most things that happen at one moment: beyond it, feedback goes on for ever without any time in between.
    static let messages = 100_000
}

/// Everything that a test runs, in virtual time.
// Unchecked: a test runs on one thread.
final class TestWorld: @unchecked Sendable {
    let test: StreamTestDefinition
    let scope: TestScope
    let configuration: TestedConfiguration
    let zone: TimeZoneRules
    let start: Instant
    let end: Instant?
    let evaluator: any ProgramEvaluator
    private let agenda: StreamClock
    private var streams: [TestedStream] = []
    private var actions: [String: MockedAction] = [:]
    private var reactors: [String: RunningReactor] = [:]
    private var bindings: [TestedBinding] = []
    private var ports: [ExternalPort] = []
    private var messages: [() -> Void] = []
    private var isDelivering = false
    /// How many there have been at this moment.
    private var messagesNow = 0
    private var isEndless = false
    private(set) var recorded: [RecordedEvent] = []

    init(
        _ test: StreamTestDefinition, _ scope: TestScope, _ configuration: TestedConfiguration, _ zone: TimeZoneRules,
        from start: Instant, to end: Instant?, _ evaluator: any ProgramEvaluator
    ) {
        self.test = test
        self.scope = scope
        self.configuration = configuration
        self.zone = zone
        self.start = start
        self.end = end
        self.evaluator = evaluator
        agenda = StreamClock(start)
        now = start
    }

    /// The time now.
    private(set) var now: Instant
    var nowText: String { TimeText.utc(now) }

    // MARK: Setup

    /// Builds what the test runs, and schedules what its sources emit.
    func connect() throws(StreamTestFault) {
        for (name, outcomes) in test.mock {
            actions[name] = MockedAction(name, configuration.overlaps[name] ?? .reject, outcomes, self)
        }
        for name in scope.reactors {
            reactors[name] = configuration.reactors[name].map { RunningReactor(name, $0, self) }
        }
        for definition in scope.streams { streams.append(TestedStream(definition, self)) }
        bindings = scope.bindings.map { TestedBinding($0, self) }
        let byName = Dictionary(uniqueKeysWithValues: streams.map { ($0.name, $0) })
        for stream in streams {
            for port in stream.running.context.ports {
                switch port.source {
                case .stream(let name, let channel): byName[name]?.add(reader: stream, port, channel)
                case .external(let source): ports.append(ExternalPort(stream, port, source))
                case .merge, .combineLatest, .zip: break
                }
            }
        }
        try GivenSources(ports, merged: scope.reactors.flatMap { configuration.reactors[$0]?.sources ?? [] }).schedule(
            test, in: self)
        try TimeSources(ports).schedule(in: self)
        for stream in streams { stream.begin() }
        // The current values of levels.
        for (name, reactor) in reactors.sorted(by: { $0.key < $1.key }) { state(of: name, is: reactor.state) }
    }

    // MARK: Time

    /// Does something after a time. The result cancels it.
    @discardableResult
    func after(_ microseconds: Int64, _ body: @escaping () -> Void) -> any Disposable {
        let body = Body(run: body)
        // The agenda may still show the moment before.
        let due = now.adding(microseconds: max(0, microseconds)).microseconds - agenda.instant.microseconds
        let time = RxTimeInterval.microseconds(Int(due))
        return agenda.scheduleRelative((), dueTime: time) { [weak self] _ in
            body.run()
            self?.deliver()
            return Disposables.create()
        }
    }

    func at(_ time: Instant, _ body: @escaping () -> Void) {
        after(time.microseconds - now.microseconds, body)
    }

    // Unchecked: a test runs on one thread.
    private struct Body: @unchecked Sendable {
        let run: () -> Void
    }

    /// Runs until nothing is pending, or until the end; nil if the test may not go on.
    func run(until end: Instant?, while mayGoOn: () -> Bool) throws(StreamTestFault) -> [RecordedEvent]? {
        deliver()
        defer { stop() }
        var moments = 0
        while let next = streams.reduce(agenda.next, { earliest($0, $1.running.next) }), end.map({ next <= $0 }) ?? true
        {
            moments += 1
            if next > now { messagesNow = 0 } else { countMessage() }
            guard moments < TestLimits.moments, !isEndless else { break }
            guard mayGoOn() else { return nil }
            now = next
            for stream in streams {
                stream.running.advance(to: next)
                deliver()
            }
            agenda.advance(to: next)
        }
        guard moments < TestLimits.moments, !isEndless else {
            throw StreamTestFault("the test does not end: give `to`, or break the feedback")
        }
        return recorded
    }

    /// Lets go of what is still in flight.
    private func stop() {
        for stream in streams { stream.running.stop() }
        messages = []
        actions = [:]
    }

    private func earliest(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    // MARK: Messages

    /// Does something after what happens now: a stream never enters another one, or itself.
    func post(_ message: @escaping () -> Void) { messages.append(message) }

    func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        var index = 0
        while index < messages.count, !isEndless {
            countMessage()
            let message = messages[index]
            index += 1
            message()
            if index == 256 {
                messages.removeFirst(index)
                index = 0
            }
        }
        messages = []
        isDelivering = false
    }

    private func countMessage() {
        messagesNow += 1
        if messagesNow >= TestLimits.messages { isEndless = true }
    }

    // MARK: What happens

    func action(_ name: String) -> MockedAction? { actions[name] }

    func reactor(_ name: String) -> RunningReactor? { reactors[name] }

    func stream(_ stream: TestedStream, emitted element: StreamElement) {
        if test.target == .stream(stream.name) { record(.element(element.value)) }
        for binding in bindings where binding.definition.stream == stream.name {
            post { binding.take(element) }
        }
    }

    func stream(_ stream: TestedStream, failed failure: StreamFailure) {
        if test.target == .stream(stream.name) { record(.error(failure.message)) }
    }

    func streamEnded(_ stream: TestedStream) {
        if test.target == .stream(stream.name) { record(.end) }
    }

    func fired(_ firing: Firing, _ binding: BindingDefinition) {
        if case .action(let name) = binding.target, test.target == .action(name) { record(.firing(firing.json)) }
        for stream in streams where stream.name == binding.stream { stream.send(firing.json, to: .firings) }
    }

    func reactor(_ name: String, became state: RawJSON) {
        if test.target == .reactor(name) { record(.element(state)) }
        self.state(of: name, is: state)
    }

    private func state(of name: String, is state: RawJSON) {
        for port in ports where port.reads(reactor: name) && !port.isGiven { port.take(state: state, self) }
        if test.given["reactor:\(name)"] == nil { merge(.reactor(name), state) }
    }

    /// Gives a value to the reactors that merge its source.
    func merge(_ source: TestedReactor.Source, _ value: RawJSON) {
        for (_, reactor) in reactors.sorted(by: { $0.key < $1.key }) { reactor.merge(source, value) }
    }

    /// An event of an execution, for the sources that read it.
    func action(_ name: String, _ channel: String, _ event: RawJSON) {
        for port in ports where port.reads(action: name, channel) && !port.isGiven { port.send(event, self) }
        guard channel == "elements", test.given["action:\(name)"] == nil, let value = event.value()["value"] else {
            return
        }
        merge(.action(name), RawJSON(value))
    }

    /// An execution that a binding started has ended.
    func executionEnded(_ binding: BindingDefinition) {
        for port in ports where port.stream.name == binding.stream { TimeSources.ended(port, self) }
    }

    private func record(_ content: RecordedEvent.Content) {
        recorded.append(RecordedEvent(content, at: now.microseconds - start.microseconds))
    }
}
