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
import RxTime
import TestSupport
import Testing

@testable import RxStore

/// Each result of a slot has exactly one firing, whenever the daemon is killed.
@Suite("Each result of a slot", .ownThreads)
struct ExactlyOnceSlotTests {
    private static let slots = 3
    private static let results = 3

    /// `["00:00:01", 1]` and so on.
    private static let several = StepDefinition(
        "map", ["map": .program(StreamProgram(".scheduled as $s | range(\(results)) | [$s[11:19], .]", .many))])

    @Test("results in one firing, although they have one slot")
    func severalOfOneSlot() async {
        let fixture = StreamFixture()
        let all = StepDefinition("map", ["map": .program(StreamProgram(".[]", .many))])
        let stream = StreamDefinition.of("every", "s", [all])
        // A stream that reads another one gets its slots, too.
        let reader = StreamDefinition(name: "r", source: .stream("s", channel: .elements))
        await fixture.apply([stream, reader], [.on("s"), .on("r", "other")])
        fixture.opener["s"]?.emit([json("[1,2,3]")], at: StreamFixture.start, position: 5, slot: StreamFixture.start)
        #expect(await eventually { fixture.firings("s").count == 3 && fixture.firings("r").count == 3 })
        #expect(fixture.firings("s").map(\.input) == ["1", "2", "3"].map { json($0) })
        #expect(fixture.firings("s").allSatisfy { $0.scheduled != nil })
        await fixture.stop()
    }

    @Test("results in exactly one firing, whichever commit a kill follows", arguments: [false, true])
    func killed(executing: Bool) async throws {
        let steps = executing ? [Self.several, StepDefinition("flatMap", ["flatMap": .text("inner")])] : [Self.several]
        let copies = Copies()
        let store = try ExecutionStore(
            path: copies.original.path + "/rxd.db", retention: .init(), waitingBytes: StoreLimits.waitingBytes,
            writesPerCommit: 1, platform: Platform(wallClock: WallClock { copies.note() })
        ) { _ in }
        let daemon = ScheduledDaemon(store, steps, at: StreamFixture.start)
        await daemon.start()
        copies.begin()
        #expect(await daemon.eventuallyHasFired(Self.slots * Self.results))
        await daemon.stop()
        copies.end()
        let last = daemon.clock.now
        store.close()
        #expect(copies.all.count > 20)
        for copy in Effort.some(copies.all, stride: 4, offset: executing ? 2 : 0) {
            try await check(copy, steps, at: last)
        }
    }

    /// Starts a daemon with what a killed one has left.
    private func check(_ copy: TemporaryDirectory, _ steps: [StepDefinition], at time: Instant) async throws {
        let store = try ExecutionStore(path: copy.path + "/rxd.db") { _ in }
        let daemon = ScheduledDaemon(store, steps, at: time)
        let known = await daemon.fired()
        await daemon.start()
        #expect(await daemon.eventuallyHasFired(known.count + 2 * Self.results))
        await daemon.stop()
        let fired = await daemon.fired()
        #expect(Set(fired).count == fired.count, "twice: \(fired)")
        // Of the last slot, some may still be owed.
        for slot in Set(fired.map { $0.prefix(10) }) where slot != fired.max()?.prefix(10) {
            #expect(fired.count { $0.hasPrefix(slot) } == Self.results, "\(slot): \(fired)")
        }
        store.close()
    }
}

/// A host whose stream has a slot in each second, whose results it gives to the action `act`.
private final class ScheduledDaemon: Sendable {
    /// A machine under load takes seconds.
    private static let patience = Duration.seconds(60)

    let clock: SimulatedAlarmClock
    private let store: ExecutionStore
    private let host: Host
    private let streams: StreamHost
    private let steps: [StepDefinition]

    init(_ store: ExecutionStore, _ steps: [StepDefinition], at time: Instant) {
        self.store = store
        self.steps = steps
        clock = SimulatedAlarmClock(at: time)
        let definitions = ["inner", "act"].map { name in
            ActionDefinition(
                name: name, kind: "test", overlap: .queue(limit: 1000), keepsHistory: true, fingerprint: name
            ) { .just($0.input) }
        }
        let queues = Queues(shared: PatientQueue()) { Queues.system.serial($0) }
        host = Host(definitions, store: store, platform: Platform(queues: queues))
        let stored = host.storedStreams
        host.resume()
        let services = StreamServices(
            host: host, clock: clock, evaluator: LocalEvaluator(), opener: SlotOpener(clock)
        ) { _, _, _ in }
        streams = StreamHost(services, stored: stored)
    }

    func start() async {
        let hasBegun = Locked(false)
        let source = ExternalSource("every", ["every": .duration(1_000_000)])
        let stream = StreamDefinition(name: "s", source: .external(source), steps: steps)
        streams.apply(StreamHost.Plan(streams: [stream], bindings: [.on("s")])) { hasBegun.withLock { $0 = true } }
        #expect(await eventually { hasBegun.withLock { $0 } })
    }

    /// The inputs of `act`, also of executions that were interrupted.
    func fired() async -> [String] {
        var selection = ExecutionSelection()
        selection.actions = ["act"]
        let records = await withCheckedContinuation { [selection] continuation in
            store.records(selection, .oldestFirst, limit: 1000) { result in
                continuation.resume(returning: (try? result.get().records) ?? [])
            }
        }
        return records.compactMap { $0.input?.text }
    }

    func eventuallyHasFired(_ count: Int) async -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        while await fired().count < count {
            clock.advance(by: .milliseconds(50))
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }

    func stop() async {
        let stopped = Locked(false)
        streams.stop { stopped.withLock { $0 = true } }
        #expect(await eventually { stopped.withLock { $0 } })
    }
}

/// Opens schedules in UTC whose missed slots are all emitted.
private final class SlotOpener: SourceOpener {
    private let clock: SimulatedAlarmClock

    init(_ clock: SimulatedAlarmClock) { self.clock = clock }

    func open(_ source: ExternalSource, of stream: String, place: String, isKept: Bool) -> any StreamSource {
        let rule = SlotRule.every(microseconds: source.duration("every") ?? 0)
        return SlotSource(SlotDefinition(rule, zone: .named(.utc), missed: .all), clock: clock, queue: clock.queue)
    }

    func forget(_ stream: String, place: String) {}

    func watch(path: String, _ report: @escaping @Sendable (Bool) -> Void) -> any Disposable { Disposables.create() }
}
