import Jq
import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxPlatform
import RxRecords
import RxSources
import RxStreams
import TestSupport
import Testing

@testable import RxStore

/// Each element of a persistent stream over an action has exactly one firing, whenever the daemon is killed.
@Suite("Each element of an action", .ownThreads)
struct ExactlyOnceTests {
    enum Chain: String, CaseIterable, Sendable {
        case plain, heldBack, executing
        /// Another stream reads the one with the steps, or has them, and gives its elements to the action.
        case read, readHeldBack, readExecuting, heldBackReader, executingReader

        private static let value = StepDefinition("map", ["map": .program(StreamProgram(".value", .many))])
        private static let holdingBack = [
            StepDefinition(
                "groupBy",
                [
                    "groupBy": .program(StreamProgram(". % 2", .one)),
                    "through": .steps([StepDefinition("delay", ["delay": .duration(1_000)])]),
                ]),
            StepDefinition("buffer", ["buffer": .boolean(true), "count": .count(2)]),
        ]
        private static let executingStep = StepDefinition("flatMap", ["flatMap": .text("inner")])

        /// The steps. Elements of `src` are numbers; the input of `act` is a number, or an array of numbers.
        var steps: [StepDefinition] {
            switch self {
            case .plain, .read, .heldBackReader, .executingReader: [Self.value]
            case .heldBack, .readHeldBack: [Self.value] + Self.holdingBack
            case .executing, .readExecuting: [Self.value, Self.executingStep]
            }
        }

        /// The steps of the stream that reads the one of `src`; nil without one.
        var stepsOfReader: [StepDefinition]? {
            switch self {
            case .plain, .heldBack, .executing: nil
            case .read, .readHeldBack, .readExecuting: []
            case .heldBackReader: Self.holdingBack
            case .executingReader: [Self.executingStep]
            }
        }

        /// The elements that may wait for others.
        var waiting: Int {
            switch self {
            case .heldBack, .readHeldBack, .heldBackReader: 1
            case .plain, .executing, .read, .readExecuting, .executingReader: 0
            }
        }
    }

    private static let count = 6

    @Test("results in exactly one firing, whichever commit a kill follows", arguments: Chain.allCases)
    func killed(_ chain: Chain) async throws {
        let copies = Copies()
        let store = try ExecutionStore(
            path: copies.original.path + "/rxd.db", retention: .init(), waitingBytes: StoreLimits.waitingBytes,
            writesPerCommit: 1, platform: Platform(wallClock: WallClock { copies.note() })
        ) { _ in }
        let daemon = CrashingDaemon(store, chain)
        await daemon.start()
        copies.begin()
        for number in 1...Self.count {
            daemon.execute(number)
            // Some come while others are under way, some one by one.
            if number > 3 { #expect(await daemon.eventuallyHasFired(Array(1...number), waiting: chain.waiting)) }
        }
        await daemon.stop()
        copies.end()
        store.close()
        #expect(copies.all.count > 20)
        let offset = Chain.allCases.firstIndex(of: chain)!
        for copy in Effort.some(copies.all, stride: 4, offset: offset) { try await check(copy, chain) }
    }

    /// Starts a daemon with what a killed one has left.
    private func check(_ copy: TemporaryDirectory, _ chain: Chain) async throws {
        let store = try ExecutionStore(path: copy.path + "/rxd.db") { _ in }
        let daemon = CrashingDaemon(store, chain)
        // Those whose execution had ended: the others are interrupted, and emit nothing.
        let known = await daemon.sources()
        await daemon.start()
        // The second one pushes out what waits.
        for number in 1...2 { daemon.execute(Self.count + number) }
        let all = known + [Self.count + 1]
        let isComplete = await daemon.eventuallyHasFired(all, waiting: 0)
        let fired = await daemon.fired()
        #expect(isComplete, "\(fired) of \(all)")
        #expect(Set(fired).count == fired.count, "twice: \(fired)")
        await daemon.stop()
        store.close()
    }
}

/// A host with the action `src`, whose elements a persistent stream gives to the action `act`.
private final class CrashingDaemon: Sendable {
    /// A machine under load takes seconds.
    private static let patience = Duration.seconds(60)

    private let store: ExecutionStore
    private let host: Host
    private let clock = SimulatedAlarmClock(at: StreamFixture.start)
    private let streams: StreamHost
    private let chain: ExactlyOnceTests.Chain

    init(_ store: ExecutionStore, _ chain: ExactlyOnceTests.Chain) {
        self.store = store
        self.chain = chain
        let definitions = ["src", "inner", "act"].map { name in
            ActionDefinition(
                name: name, kind: "test", overlap: .queue(limit: 1000), keepsHistory: true, fingerprint: name
            ) { .just($0.input) }
        }
        let queues = Queues(shared: PatientQueue()) { Queues.system.serial($0) }
        host = Host(definitions, store: store, platform: Platform(queues: queues))
        let stored = host.storedStreams
        host.resume()
        let services = StreamServices(
            host: host, clock: clock, evaluator: LocalEvaluator(), opener: ActionOpener(host)
        ) { _, _, _ in }
        streams = StreamHost(services, stored: stored)
    }

    /// Returns once the stream has begun: elements that come before are not its own.
    func start() async {
        let hasBegun = Locked(false)
        let source = ExternalSource("action", ["action": .texts(["src"])])
        var all = [StreamDefinition(name: "s", source: .external(source), steps: chain.steps, isPersistent: true)]
        if let steps = chain.stepsOfReader {
            let source = SourceDefinition.stream("s", channel: .elements)
            all.append(StreamDefinition(name: "r", source: source, steps: steps, isPersistent: !steps.isEmpty))
        }
        let plan = StreamHost.Plan(streams: all, bindings: [.on(all[all.count - 1].name)])
        streams.apply(plan) { hasBegun.withLock { $0 = true } }
        #expect(await eventually { hasBegun.withLock { $0 } })
    }

    func execute(_ number: Int) {
        guard let action = host.registry["src"] else { return }
        if case .accepted(let accepted) = host.submit(action, ExecutionRequest(input: json("\(number)"), by: .host)) {
            accepted.goOnUnreported()
        }
    }

    private func records(_ action: String) async -> [ExecutionRecord] {
        var selection = ExecutionSelection()
        selection.actions = [action]
        return await withCheckedContinuation { [selection] continuation in
            store.records(selection, .oldestFirst, limit: 1000) { result in
                continuation.resume(returning: (try? result.get().records) ?? [])
            }
        }
    }

    /// The numbers whose executions have completed.
    func sources() async -> [Int] {
        await records("src").filter { $0.state == .completed }.compactMap { $0.input?.value().int }
    }

    /// The numbers in the inputs of `act`, also of executions that were interrupted.
    func fired() async -> [Int] {
        await records("act").flatMap { record -> [Int] in
            guard let input = record.input?.value() else { return [] }
            return input.int.map { [$0] } ?? (input.array ?? []).compactMap(\.int)
        }
    }

    /// - Parameter waiting: how many of the numbers may not have been fired.
    func eventuallyHasFired(_ numbers: [Int], waiting: Int) async -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            clock.advance(by: .seconds(1))
            let fired = Set(await fired())
            if numbers.filter({ !fired.contains($0) }).count <= waiting { return true }
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    func stop() async {
        let stopped = Locked(false)
        streams.stop { stopped.withLock { $0 = true } }
        #expect(await eventually { stopped.withLock { $0 } })
    }
}

/// Opens the source `action`.
private final class ActionOpener: SourceOpener {
    private let readers: ActionReaders

    init(_ host: Host) { readers = ActionReaders(host) }

    func open(_ source: ExternalSource, of stream: String, place: String, isKept: Bool) -> any StreamSource {
        ActionSource(source.texts("action") ?? [], channels: ["elements"], readers: readers)
    }

    func forget(_ stream: String, place: String) {}

    func watch(path: String, _ report: @escaping @Sendable (Bool) -> Void) -> any Disposable { Disposables.create() }
}
