import Rx
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Readers that begin where memory has nothing any more.
@Suite("Starts in the store", .countedApart)
struct StoredStartTests {
    private let file = StoreFile()
    private let work = Work()

    /// The work of the action: each execution has a subject of its own.
    private final class Work: Sendable {
        private let current = Locked(PublishSubject<RawJSON>())

        var subject: PublishSubject<RawJSON> { current.withLock { $0 } }

        func begin() -> Observable<RawJSON> {
            let subject = PublishSubject<RawJSON>()
            current.withLock { $0 = subject }
            return subject.asObservable()
        }

        func send(_ range: Range<Int>) {
            for number in range { subject.onNext(RawJSON(unchecked: Array("\(number)".utf8))) }
        }
    }

    private func host(_ store: ExecutionStore, at time: Int64 = 1000) throws -> (host: Host, action: HostedAction) {
        let definition = ActionDefinition(
            name: "deploy", kind: "test", scheduler: .inline, keepsHistory: true, fingerprint: "deploy"
        ) { [work] _ in work.begin() }
        var limits = CatchUpLimits()
        limits.events = 40
        let host = Host(
            [definition], store: store, catchUp: limits, platform: Platform(wallClock: WallClock { time }))
        _ = host.resume()
        return (host, try #require(host.registry["deploy"]))
    }

    private func run(_ action: HostedAction, in host: Host, _ elements: Range<Int>) throws {
        _ = try host.execute(action, .own()).get()
        work.send(elements)
        work.subject.onError(WorkFailure(message: "no"))
    }

    @Test("the cursor of a reader since a time is there: what came before does not follow it")
    func time() async throws {
        var store = try file.open()
        let (first, old) = try host(store)
        try run(old, in: first, 0..<3)
        await store.flush()
        await store.flush()
        store.close()
        store = try file.open()
        defer { store.close() }
        let (host, action) = try host(store, at: 900_000)
        let (source, kinds) = (EventSource.named([action]), [.elements, .errors] as EventKinds)
        let opening = try await host.log.openLookingUp(source, kinds, from: .time(500_000)).get()
        host.log.unwatch(source)
        #expect(try await host.read(source, kinds, from: .cursor(opening.cursor)) == [])
        #expect(try await host.read(source, kinds, from: .time(500_000)) == [])
        #expect(try await host.read(source, kinds, from: .time(500)).last == "failure failed")
        try run(action, in: host, 5..<6)
        await store.flush()
        await store.flush()
        let since = ["element 5", "failure failed"]
        #expect(try await host.read(source, kinds, from: .cursor(opening.cursor)) == since)
        #expect(try await host.read(source, kinds, from: .time(500_000)) == since)
    }

    @Test("the start of an execution whose first event memory has lost is in the log")
    func inFlight() async throws {
        let store = try file.open()
        defer { store.close() }
        let (host, action) = try host(store)
        try run(action, in: host, 0..<3)
        let execution = try host.execute(action, .own()).get()
        work.send(100..<300)
        await store.flush()
        await store.flush()
        let (source, kinds) = (EventSource.named([action]), [.elements, .errors] as EventKinds)
        let all = (100..<300).map { "element \($0)" }
        #expect(try await host.read(source, kinds, from: .executing) == all)
        #expect(try await host.read(source, kinds, from: .execution(execution.id)) == all)
        work.subject.onError(WorkFailure(message: "no"))
        await store.flush()
        await store.flush()
        #expect(try await host.read(source, kinds, from: .execution(execution.id)) == all + ["failure failed"])
    }

    /// Closes a store and opens it again, after so many events of another name that memory will have no earlier ones.
    private func reopened(_ closing: ExecutionStore) async throws -> ExecutionStore {
        closing.close()
        let store = try file.open()
        let last = store.takeRecovery().log.last
        let refusals = (1...UInt64(LogLimits.eventsRead) + 100).map { number in
            LoggedEvent(number: last + number, time: 1000, name: "other", content: .other(kind: "refused", .true))
        }
        #expect(await outcome { _ = store.log(refusals, completion: $0) } == nil)
        store.close()
        return try file.open()
    }

    @Test("an execution that only the history has is found, if it is of the reader's action")
    func past() async throws {
        var store = try file.open()
        let (first, old) = try host(store)
        let execution = try first.execute(old, .own()).get()
        work.send(0..<2)
        work.subject.onError(WorkFailure(message: "no"))
        await store.flush()
        await store.flush()
        store = try await reopened(store)
        defer { store.close() }
        let (host, action) = try host(store)
        let source = EventSource.named([action])
        let read = try await host.read(source, [.elements, .errors], from: .execution(execution.id))
        #expect(read == ["element 0", "element 1", "failure failed"])
        await #expect(throws: EventStartRefusal.self) {
            try await host.read(source, .errors, from: .execution(ExecutionID()))
        }
    }

    @Test("the last of each kind is the last one that is kept, also if only the store has it")
    func last() async throws {
        var store = try file.open()
        let (first, old) = try host(store)
        try run(old, in: first, 0..<200)
        try run(old, in: first, 500..<503)
        try run(old, in: first, 0..<0)
        await store.flush()
        await store.flush()
        store = try await reopened(store)
        defer { store.close() }
        let (host, action) = try host(store)
        let source = EventSource.named([action])
        let all: EventKinds = [.elements, .errors, .executions]
        #expect(try await host.read(source, .elements, from: .last) == ["element 502"])
        #expect(try await host.read(source, .errors, from: .last) == ["failure failed"])
        let ended = try await host.read(source, all, from: .last)
        #expect(ended.prefix(2) == ["element 502", "failure failed"] && ended.count == 3, "\(ended)")
        _ = try host.execute(action, .own()).get()
        work.send(7..<9)
        #expect(await eventually { host.log.isSettled })
        #expect(try await host.read(source, [.elements, .errors], from: .last) == ["failure failed", "element 8"])
    }

    @Test("the last element of an execution in flight is found although memory has lost it")
    func lastInFlight() async throws {
        let store = try file.open()
        defer { store.close() }
        let (host, action) = try host(store)
        try run(action, in: host, 0..<3)
        await store.flush()
        await store.flush()
        _ = try host.execute(action, .own()).get()
        work.send(7..<9)
        #expect(await eventually { host.log.isSettled })
        host.log.update { state in
            for _ in 0..<50 { state.publish(.queueFull(limit: 1), of: action, at: 1000) }
        }
        #expect(await eventually { host.log.isSettled })
        let source = EventSource.named([action])
        #expect(try await host.read(source, .elements, from: .last) == ["element 8"])
    }
}
