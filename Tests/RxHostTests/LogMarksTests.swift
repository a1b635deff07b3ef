import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Takes every action and does nothing.
private final class Idle: ReactorEngine {
    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        JSONState([:])
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) { completion(nil) }
    func replay(_ mutation: RawJSON) throws(ReactorFault) {}
    func stop(completion: @escaping @Sendable () -> Void) { completion() }
}

/// What readers lack once the retention has removed events of others.
@Suite("The retention of the log", .countedApart)
struct LogMarksTests {
    private let file = StoreFile()
    private let puppet = Puppet()

    /// A host that keeps five executions in its history, and ten events of a name in memory.
    private func open() throws -> (Host, ExecutionStore) {
        var retention = ExecutionStore.Retention()
        retention.count = 5
        let store = try file.open(retention)
        var long = puppet.definition(name: "long")
        (long.keepsHistory, long.overlap) = (true, .concurrent(limit: 10))
        let busy = ActionDefinition(
            name: "busy", kind: "test", scheduler: .inline, keepsHistory: true, fingerprint: "busy"
        ) { _ in .error(WorkFailure(message: "no")) }
        let calm = ActionDefinition(
            name: "calm", kind: "test", scheduler: .inline, keepsHistory: true, fingerprint: "calm"
        ) { _ in .empty() }
        var limits = CatchUpLimits()
        (limits.events, limits.fromMemory) = (10, 1)
        let quiet = ReactorDefinition(name: "quiet", kind: "test", fingerprint: "quiet", makeEngine: { Idle() })
        let host = Host([long, busy, calm], reactors: [quiet], store: store, catchUp: limits)
        _ = host.resume()
        return (host, store)
    }

    private func source(_ host: Host, _ name: String) throws -> EventSource {
        .named([try #require(host.registry[name] ?? host.registry.reactor(name) as Hosted?)])
    }

    private func fail(_ host: Host) throws {
        let reactor = try #require(host.registry.reactor("quiet"))
        host.log.update { _ = $0.publish(.fault(ReactorFault(.mutate, "no")), of: reactor, at: 1) }
    }

    private func work(_ host: Host, _ store: ExecutionStore) async throws {
        let busy = try #require(host.registry["busy"])
        for _ in 0..<20 { _ = try host.execute(busy, .own()).get() }
        await store.flush()
        await store.flush()
        #expect(store.marks.executions > 0 && store.marks.others == 0)
    }

    @Test("of executions leaves the readers of a reactor all of its events, in this host and in the next")
    func reactor() async throws {
        var (host, store) = try open()
        let begin = host.log.cursor
        try fail(host)
        try await work(host, store)
        try fail(host)
        await store.flush()
        for _ in 0..<2 {
            let faults = ["fault mutate", "fault mutate"]
            #expect(try await host.read(source(host, "quiet"), .errors, from: .cursor(begin)) == faults)
            #expect(try await host.read(source(host, "quiet"), .errors, from: .start) == faults)
            let busy = try await host.read(source(host, "busy"), .errors, from: .cursor(begin))
            #expect(busy == ["lost some"] + [String](repeating: "failure failed", count: 5))
            store.close()
            (host, store) = try open()
        }
        store.close()
    }

    @Test("leaves a reader that begins with all that is kept the beginning of a long execution, and no loss")
    func longExecution() async throws {
        var (host, store) = try open()
        _ = try host.execute(try #require(host.registry["long"]), .own()).get()
        try await work(host, store)
        let kinds: EventKinds = [.errors, .executions]
        let both = EventSource.named([try #require(host.registry["long"]), try #require(host.registry["busy"])])
        let read = try await host.read(both, kinds, from: .start)
        #expect(read.first == "execution executing" && read.count == 1 + 5 * 3, "\(read)")
        let since = try await host.read(both, kinds, from: .time(0))
        #expect(since.filter { $0 != "lost some" } == read && since.count == read.count + 1, "\(since)")
        store.close()
        (host, store) = try open()
        // The interrupted one is one more, so that another one leaves.
        await store.flush()
        await store.flush()
        let long = try await host.read(source(host, "long"), kinds, from: .start)
        #expect(long == ["execution executing", "failure interrupted", "execution interrupted"])
        store.close()
    }

    @Test(
        "leaves a reader that is cut off all that is kept, and one loss for what was removed, in the next host too",
        arguments: [EventStart.start, .time(0)])
    func cutOff(_ start: EventStart) async throws {
        var (host, store) = try open()
        for _ in 0..<2 {
            _ = try host.execute(try #require(host.registry["long"]), .own()).get()
            try await work(host, store)
        }
        let kinds: EventKinds = [.errors, .executions]
        for _ in 0..<2 {
            let both = EventSource.named([
                try #require(host.registry["long"]), try #require(host.registry["busy"]),
            ])
            let kept = try await host.read(both, kinds, from: .start)
            #expect(kept.prefix(2) == ["execution executing", "execution executing"])
            let opening = try host.log.open(both, kinds, from: start).get()
            host.log.unwatch(both)
            let atOnce = try await host.read(both, kinds, from: .cursor(opening.cursor))
            #expect(atOnce.filter { $0 != "lost some" } == kept && atOnce.count == kept.count + 1, "\(atOnce)")
            let first = try #require(try await first(host, both, kinds, from: start))
            let later = try await host.read(both, kinds, from: .cursor(first))
            let rest = Array(kept.dropFirst())
            #expect(later.filter { $0 != "lost some" } == rest && later.count == rest.count + 1, "\(later)")
            // Memory may have some of what was removed since the start.
            let newest = try await host.read(both, kinds, from: .cursor(store.marks.executions))
            #expect(newest.count >= 12 && rest.suffix(newest.count) == newest[...], "\(newest)")
            store.close()
            (host, store) = try open()
            // The interrupted ones are two more, so that others leave.
            await store.flush()
            await store.flush()
        }
        store.close()
    }

    @Test("of other kinds is no loss for the readers of one kind, in this host and in the next")
    func kinds() async throws {
        var (host, store) = try open()
        _ = try host.execute(try #require(host.registry["busy"]), .own()).get()
        let cursor = host.log.cursor
        for _ in 0..<20 { _ = try host.execute(try #require(host.registry["calm"]), .own()).get() }
        await store.flush()
        await store.flush()
        #expect(store.marks.executions > cursor && store.marks.failures <= cursor && store.marks.elements == 0)
        for ofFailures in ["failure failed", "lost some"] {
            let all = EventSource.named(host.registry.actions)
            for kinds in [.errors, .elements, [.errors, .elements]] as [EventKinds] {
                #expect(try await host.read(all, kinds, from: .cursor(cursor)) == [])
            }
            #expect(try await host.read(all, .executions, from: .cursor(cursor)).first == "lost some")
            // Memory has the failure that was removed.
            #expect(try await host.read(all, .errors, from: .cursor(1)) == [ofFailures])
            store.close()
            (host, store) = try open()
        }
        store.close()
    }

    /// The cursor of the first event that a reader receives.
    private func first(
        _ host: Host, _ source: EventSource, _ kinds: EventKinds, from start: EventStart
    ) async throws -> UInt64? {
        var position = try #require(try host.log.open(source, kinds, from: start).get().position)
        defer { host.log.unwatch(source) }
        while true {
            let portion = host.log.nextPortion(of: source, kinds, after: &position)
            for case .event(let event) in portion.items { return event.cursor }
            if portion.isComplete { return nil }
            await host.log.read(portion.need, of: source, kinds, for: &position)
        }
    }
}
