import Rx
import RxAction
import RxBindings
import RxHost
import RxJSON
import RxPlatform
import RxRecords
import RxStore
import RxStreams
import TestSupport
import Testing

@Suite("The position of a source of an action")
struct ActionSourceTests {
    private final class Receiver: SourceReceiver {
        private let received = Locked<[SourceElement]>([])

        var values: [JSONValue] { received.withLock { $0.map { $0.value.value() } } }
        var numbers: [Int] { received.withLock { $0.compactMap { $0.value.value()["value"]?.int } } }
        var position: RawJSON? { received.withLock { $0.last?.position } }

        /// The source that sends the next batch when one is settled.
        let source = Locked<ActionSource?>(nil)

        func receive(_ elements: [SourceElement]) {
            received.withLock { $0 += elements }
            source.withLock { $0 }?.settled(through: elements.last?.position)
        }
        func report(waiting reason: String?) {}
        func report(error message: String, element: RawJSON?) {}
        func report(lost count: Int?) {}
        func finish() {}
    }

    @Test("errors and records have the input, redacted, and who requested it; errors are flat")
    func members() async throws {
        let action = ActionDefinition(name: "src", kind: "test", fingerprint: "src") { invocation in
            invocation.input.value()["fails"] == true
                ? .error(WorkFailure(message: "exited with 3", facts: ["exit": 3])) : .just(invocation.input)
        }
        let host = Host([action])
        let source = ActionSource(["src"], channels: ["errors", "executions"], readers: ActionReaders(host))
        let receiver = Receiver()
        receiver.source.withLock { $0 = source }
        source.start(after: nil, into: receiver)
        let src = try #require(host.registry["src"])
        for (fails, count) in [(true, 3), (false, 5)] {
            let request = ExecutionRequest(
                input: json(#"{"fails":\#(fails)}"#), by: .peer(uid: 7, gid: 8, pid: 9))
            if case .accepted(let accepted) = host.submit(src, request) { accepted.goOnUnreported() }
            #expect(await eventually { receiver.values.count == count })
        }
        let values = receiver.values
        #expect(values.map { $0["channel"] } == ["executions", "errors", "executions", "executions", "executions"])
        #expect(values.allSatisfy { $0["by"] == ["uid": 7, "gid": 8, "pid": 9] })
        #expect(values.map { $0["input"]?["fails"] } == [true, true, true, false, false])
        let error: JSONValue = ["exit": 3, "name": "workFailed", "message": "exited with 3"]
        #expect(values[1]["error"] == error && values[1]["value"] == nil)
        #expect(values.map { $0["value"]?["state"] } == ["executing", nil, "failed", "executing", "completed"])
        #expect(values[2]["value"]?["error"] == error && values[0]["value"]?["endedAt"] == nil)
        #expect(values[4]["value"]?["elements"] == 1 && values[4]["value"]?["endedAt"]?.string != nil)
        #expect(values[4]["value"]?["error"] == nil)
        source.stop()
        receiver.source.withLock { $0 = nil }
    }

    @Test("the cause of an end that is not the work's is in its error")
    func causes() async throws {
        let host = Host([
            ActionDefinition(name: "src", kind: "test", overlap: .latest, fingerprint: "src") { _ in .never() }
        ])
        let source = ActionSource(["src"], channels: ["errors", "executions"], readers: ActionReaders(host))
        let receiver = Receiver()
        receiver.source.withLock { $0 = source }
        source.start(after: nil, into: receiver)
        let src = try #require(host.registry["src"])
        for _ in 0..<2 {
            if case .accepted(let accepted) = host.submit(src, ExecutionRequest(input: .null, by: .host)) {
                accepted.goOnUnreported()
            }
        }
        #expect(await eventually { receiver.values.contains { $0["value"]?["state"] == "cancelled" } })
        let end = try #require(receiver.values.first { $0["value"]?["state"] == "cancelled" })
        #expect(end["value"]?["error"]?["cause"] == "superseded" && end["by"]?.isNull == true)
        #expect(!receiver.values.contains { $0["channel"] == "errors" })
        source.stop()
        receiver.source.withLock { $0 = nil }
    }

    @Test("holds in another epoch of the log, whose numbers go on")
    func epochs() async throws {
        let host = Host([ActionDefinition(name: "src", kind: "test", fingerprint: "src") { .just($0.input) }])
        let action = try #require(host.registry["src"])
        func execute(_ number: Int) {
            let request = ExecutionRequest(input: json("\(number)"), by: .host)
            if case .accepted(let accepted) = host.submit(action, request) { accepted.goOnUnreported() }
        }
        let first = ActionSource(["src"], channels: ["elements"], readers: ActionReaders(host))
        let before = Receiver()
        first.start(after: nil, into: before)
        execute(1)
        #expect(await eventually { before.numbers == [1] })
        first.stop()
        var position = try #require(before.position?.value().object)
        position["epoch"] = "of an earlier log"
        let second = ActionSource(["src"], channels: ["elements"], readers: ActionReaders(host))
        let after = Receiver()
        second.start(after: RawJSON(.object(position)), into: after)
        execute(2)
        #expect(await eventually { !after.numbers.isEmpty })
        #expect(after.numbers == [2])
        #expect(after.position?.value()["epoch"] == nil)
        second.stop()
    }

    private static let kept = ["src", "other"].map { name in
        ActionDefinition(name: name, kind: "test", scheduler: .inline, keepsHistory: true, fingerprint: name) {
            .just($0.input)
        }
    }

    private static func open(
        _ directory: TemporaryDirectory, _ platform: Platform = Platform()
    ) throws -> (ExecutionStore, Host) {
        let store = try ExecutionStore(path: directory.path + "/rxd.db") { _ in }
        let host = Host(kept, store: store, platform: platform)
        host.resume()
        return (store, host)
    }

    /// Stores a log of several pages, with 1 of the action in the first one and 2 in the last one.
    private static func storePages(_ directory: TemporaryDirectory) async throws {
        let (store, host) = try open(directory)
        let (src, other) = try (#require(host.registry["src"]), #require(host.registry["other"]))
        func execute(_ action: HostedAction, _ number: Int) {
            let request = ExecutionRequest(input: json("\(number)"), by: .host)
            guard case .accepted(let accepted) = host.submit(action, request) else {
                Issue.record("refused")
                return
            }
            accepted.goOnUnreported()
        }
        execute(src, 1)
        // Several pages.
        for number in 0..<600 { execute(other, number) }
        execute(src, 2)
        #expect(await eventually { host.log.inFlight.isEmpty })
        store.close()
    }

    // Memory has no elements of an earlier host.
    @Test("goes on after pages of the log that have nothing of the action")
    func emptyPages() async throws {
        let directory = TemporaryDirectory()
        try await Self.storePages(directory)
        let (reopened, next) = try Self.open(directory)
        let source = ActionSource(["src"], channels: ["elements"], readers: ActionReaders(next))
        let receiver = Receiver()
        receiver.source.withLock { $0 = source }
        source.start(after: RawJSON(["cursor": 0]), into: receiver)
        #expect(await eventually { receiver.numbers == [1, 2] })
        source.stop()
        receiver.source.withLock { $0 = nil }
        reopened.close()
    }
    /// The queue of the readers, which reloads the host before one of its pieces of work.
    private final class ReloadingQueue: WorkQueue, @unchecked Sendable {
        // Unchecked: the state is locked.
        private let queue = Queues.system.serial("test")
        private let left: Locked<Int>
        let host = Locked<Host?>(nil)

        init(before number: Int) {
            left = Locked(number)
            super.init()
        }

        override func async(_ body: @escaping @Sendable () -> Void) {
            queue.async { [self] in
                let isNow = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isNow { host.withLock { $0 }?.reload(ActionSourceTests.kept) }
                body()
            }
        }

        override func run(_ body: () -> Void) { queue.run(body) }
    }

    @Test("is behind what was read before a page that is on its way during a reload", arguments: 1...6)
    func reloads(before number: Int) async throws {
        let directory = TemporaryDirectory()
        try await Self.storePages(directory)
        let queue = ReloadingQueue(before: number)
        let queues = Queues(shared: Queues.system.shared) { label in
            label == "rxd.streams.events" ? queue : Queues.system.serial(label)
        }
        let (store, host) = try Self.open(directory, Platform(queues: queues))
        queue.host.withLock { $0 = host }
        let generation = host.generation
        let source = ActionSource(["src"], channels: ["elements"], readers: ActionReaders(host))
        let receiver = Receiver()
        receiver.source.withLock { $0 = source }
        source.start(after: RawJSON(["cursor": 0]), into: receiver)
        #expect(await eventually { receiver.numbers.last == 2 })
        #expect(receiver.numbers == [1, 2] && host.generation > generation)
        source.stop()
        receiver.source.withLock { $0 = nil }
        queue.host.withLock { $0 = nil }
        store.close()
    }
}
