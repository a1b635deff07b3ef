import Jq
import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxPlatform
import RxRecords
import RxSources
import RxStore
import RxStreams
import RxTime
import TestSupport

/// A source that a test controls.
final class ManualSource: StreamSource {
    private struct State {
        var receiver: (any SourceReceiver)?
        var start: RawJSON??
        var settled: [RawJSON?] = []
        var isStopped = false
    }

    private let state = Locked(State())

    func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        state.withLock {
            $0.receiver = receiver
            $0.start = .some(position)
        }
    }

    func settled(through position: RawJSON?) { state.withLock { $0.settled.append(position) } }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Reports why it waits.
    func report(waiting reason: String?) { state.withLock { $0.receiver }?.report(waiting: reason) }

    var isStarted: Bool { state.withLock { $0.start != nil } }
    /// The position of the start.
    var startPosition: RawJSON? { state.withLock { $0.start ?? nil } }
    var settlements: [RawJSON?] { state.withLock { $0.settled } }
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Emits values at a time; the last one has the position.
    func emit(_ values: [RawJSON], at time: Instant, position: Int? = nil, slot: Instant? = nil) {
        let receiver = state.withLock { $0.receiver }
        receiver?.receive(
            values.map {
                SourceElement(
                    value: $0, time: time, position: position.map { RawJSON(JSONValue($0)) }, scheduled: slot)
            })
    }
}

/// Opens sources that a test controls, by the names of their streams.
final class ManualOpener: SourceOpener {
    private let opened = Locked<[String: [ManualSource]]>([:])
    private let watched = Locked<[String: [@Sendable (Bool) -> Void]]>([:])
    private let failure = Locked<String?>(nil)
    private let reportsAtOnce = Locked(true)

    /// Whether there is a file at a path is not reported before `set`.
    func reportLate() { reportsAtOnce.withLock { $0 = false } }

    /// Nothing can be opened or watched from now on, for this reason; with nil, it can.
    func fail(_ reason: String?) { failure.withLock { $0 = reason } }

    private func check() throws(SourceUnavailable) {
        if let reason = failure.withLock({ $0 }) { throw SourceUnavailable(reason) }
    }

    func open(
        _ source: ExternalSource, of stream: String, place: String, isKept: Bool
    ) throws(SourceUnavailable) -> any StreamSource {
        try check()
        let manual = ManualSource()
        opened.withLock { $0[stream, default: []].append(manual) }
        return manual
    }

    func forget(_ stream: String, place: String) {}

    func watch(
        path: String, _ report: @escaping @Sendable (Bool) -> Void
    ) throws(SourceUnavailable) -> any Disposable {
        try check()
        watched.withLock { $0[path, default: []].append(report) }
        if reportsAtOnce.withLock({ $0 }) { report(false) }
        return Disposables.create()
    }

    /// There is a file at a path from now on, or no longer.
    func set(_ isPresent: Bool, _ path: String) {
        for report in watched.withLock({ $0[path] ?? [] }) { report(isPresent) }
    }

    /// The source of a stream that was opened last.
    subscript(stream: String) -> ManualSource? { opened.withLock { $0[stream]?.last } }

    /// How often the source of a stream was opened.
    func count(_ stream: String) -> Int { opened.withLock { $0[stream]?.count ?? 0 } }
}

/// Actions whose executions end when a test ends them.
final class ManualWork: Sendable {
    private struct State {
        var inputs: [RawJSON] = []
        var running: [PublishSubject<RawJSON>] = []
    }

    private let state = Locked(State())

    func definition(_ name: String, _ overlap: Overlap) -> ActionDefinition {
        ActionDefinition(name: name, kind: "test", overlap: overlap, fingerprint: name) { [self] invocation in
            Observable.deferred { [self] in
                let subject = PublishSubject<RawJSON>()
                state.withLock { state in
                    state.inputs.append(invocation.input)
                    state.running.append(subject)
                }
                return subject.asObservable()
            }
        }
    }

    /// The inputs of the executions that have started.
    var inputs: [RawJSON] { state.withLock { $0.inputs } }

    /// Ends the oldest execution that runs.
    func end(_ element: RawJSON? = nil) {
        let subject = state.withLock { $0.running.isEmpty ? nil : $0.running.removeFirst() }
        if let element { subject?.onNext(element) }
        subject?.onCompleted()
    }
}

/// A host with streams, whose clock and sources a test controls.
final class StreamFixture: Sendable {
    static let start = Instant(seconds: 1_800_000_000)

    let host: Host
    let clock = SimulatedAlarmClock(at: start)
    let opener = ManualOpener()
    let work: ManualWork
    let streams: StreamHost
    private let seen = Locked<[StreamEvent]>([])

    init(
        _ actions: [(String, Overlap)] = [("act", .queue(limit: 100))], builtins: [ActionDefinition] = [],
        reactors: [ReactorDefinition] = [], evaluator: any ProgramEvaluator = LocalEvaluator(),
        store: ExecutionStore? = nil, platform: Platform? = nil
    ) {
        let clock = clock
        let work = ManualWork()
        self.work = work
        host = Host(
            actions.map { work.definition($0.0, $0.1) } + builtins, reactors: reactors, store: store,
            platform: platform ?? Platform(wallClock: WallClock { clock.now.microseconds / 1000 }))
        let stored = host.storedStreams
        host.resume()
        let seen = seen
        let services = StreamServices(host: host, clock: clock, evaluator: evaluator, opener: opener) {
            event, _, _ in seen.withLock { $0.append(event) }
        }
        streams = StreamHost(services, stored: stored)
    }

    var events: [StreamEvent] { seen.withLock { $0 } }

    /// The values that streams have emitted.
    var elements: [RawJSON] {
        events.compactMap { if case .element(let value) = $0 { value } else { nil } }
    }

    /// The firings of a stream.
    func firings(_ stream: String) -> [Firing] { streams.stream(stream)?.status.firings ?? [] }

    /// Brings streams into force, and returns once their sources have started.
    func apply(_ streams: [StreamDefinition], _ bindings: [BindingDefinition] = []) async {
        let done = Locked(false)
        self.streams.apply(StreamHost.Plan(streams: streams, bindings: bindings)) { done.withLock { $0 = true } }
        _ = await eventually {
            done.withLock { $0 }
                && streams.allSatisfy { stream in
                    guard case .external = stream.source else { return true }
                    return self.opener[stream.name]?.isStarted ?? false
                }
        }
    }

    /// Lets time pass, once more whenever something was added meanwhile.
    func advance(by time: Duration) { clock.advance(by: time) }

    func stop() async {
        let stopped = Locked(false)
        streams.stop { stopped.withLock { $0 = true } }
        _ = await eventually { stopped.withLock { $0 } }
    }
}

extension StreamDefinition {
    /// A stream of a source of a kind.
    static func of(
        _ kind: String, _ name: String, _ steps: [StepDefinition] = [], persist: Bool = false
    ) -> StreamDefinition {
        StreamDefinition(name: name, source: .external(ExternalSource(kind)), steps: steps, isPersistent: persist)
    }
}

extension BindingDefinition {
    static func on(
        _ stream: String, _ action: String = "act", input: String? = nil, whenFull: WhenFull = .wait
    ) -> BindingDefinition {
        BindingDefinition(
            target: .action(action), stream: stream, input: input.map { StreamProgram($0, .one) }, whenFull: whenFull)
    }
}

func json(_ text: String) -> RawJSON { RawJSON(unchecked: Array(text.utf8)) }
