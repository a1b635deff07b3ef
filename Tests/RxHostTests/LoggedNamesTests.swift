import Rx
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Names whose events the store keeps at one time and not at another.
@Suite("The names of the log", .countedApart)
struct LoggedNamesTests {
    private let file = StoreFile()
    private let time = Locked<Int64>(1_790_000_000_000)

    private func action(_ name: String, history: Bool, _ work: Observable<RawJSON>? = nil) -> ActionDefinition {
        ActionDefinition(
            name: name, kind: "test", scheduler: .inline, keepsHistory: history, fingerprint: "\(history)"
        ) { _ in work ?? .error(WorkFailure(message: "no")) }
    }

    /// - Parameter events: how many events of a name memory has.
    private func open(
        _ file: StoreFile, _ definitions: [ActionDefinition], events: Int = 10_000
    ) throws -> (Host, ExecutionStore) {
        let store = try file.open()
        var limits = CatchUpLimits()
        limits.events = events
        let time = time
        let host = Host(
            definitions, store: store, catchUp: limits,
            platform: Platform(wallClock: WallClock { time.withLock { $0 } }))
        _ = host.resume()
        return (host, store)
    }

    private func source(_ host: Host, _ names: String...) throws -> EventSource {
        .named(try names.map { try #require(host.registry[$0] ?? host.streamFeed($0) as Hosted?) })
    }

    private func execute(_ host: Host, _ name: String, times: Int = 1) throws {
        for _ in 0..<times { _ = try host.execute(try #require(host.registry[name]), .own()).get() }
    }

    @Test("are lost up to a restart with which they get a history, for readers who lack that, and in each later host")
    func historyWithRestart() async throws {
        var (host, store) = try open(file, [action("flaky", history: false)])
        try execute(host, "flaky")
        let seen = host.log.cursor
        try execute(host, "flaky", times: 3)
        let all = host.log.cursor
        store.close()
        var failures: [String] = []
        for _ in 0..<3 {
            (host, store) = try open(file, [action("flaky", history: true)])
            for cursor in [seen, all] {
                let read = try await host.read(source(host, "flaky"), .errors, from: .cursor(cursor))
                #expect(read == ["lost some"] + failures)
            }
            try execute(host, "flaky")
            failures.append("failure failed")
            await store.flush()
            let end = host.log.cursor
            #expect(try await host.read(source(host, "flaky"), .errors, from: .cursor(end)) == [])
            store.close()
        }
        (host, store) = try open(file, [action("flaky", history: false)])
        let without = host.log.cursor
        store.close()
        (host, store) = try open(file, [action("flaky", history: true)])
        let again = try await host.read(source(host, "flaky"), .errors, from: .cursor(seen))
        #expect(again == failures + ["lost some"], "the store has those of before")
        #expect(try await host.read(source(host, "flaky"), .errors, from: .cursor(without)) == ["lost some"])
        store.close()
    }

    @Test("are lost up to the reload that gave them a history, if the host is killed")
    func historyWithReload() async throws {
        let (host, store) = try open(file, [action("flaky", history: false)])
        let begin = host.log.cursor
        try execute(host, "flaky")
        host.reload([action("flaky", history: true)])
        let reload = host.log.cursor
        try execute(host, "flaky")
        await store.flush()
        let (next, again) = try open(try file.killed(), [action("flaky", history: true)])
        let read = try await next.read(source(next, "flaky"), .errors, from: .cursor(begin))
        #expect(read == ["lost some", "failure failed"])
        #expect(try await next.read(source(next, "flaky"), .errors, from: .cursor(reload)) == ["failure failed"])
        again.close()
        store.close()
    }

    @Test("are lost up to the end of the last execution that began without a history")
    func inFlight() async throws {
        let work = PublishSubject<RawJSON>()
        let (host, store) = try open(file, [action("flaky", history: false, work)])
        try execute(host, "flaky")
        host.reload([action("flaky", history: true, work)])
        let reload = host.log.cursor
        await store.flush()
        for hasEnded in [false, true] {
            if hasEnded { work.onError(WorkFailure(message: "no")) }
            let end = host.log.cursor
            await store.flush()
            let (next, again) = try open(try file.killed(), [action("flaky", history: true)])
            let kinds: EventKinds = [.errors, .executions]
            #expect(try await next.read(source(next, "flaky"), kinds, from: .cursor(reload)) == ["lost some"])
            let after = try await next.read(source(next, "flaky"), kinds, from: .cursor(end))
            #expect(after == (hasEnded ? [] : ["lost some"]))
            again.close()
        }
        store.close()
    }

    @Test(
        "that the store keeps only since a reload keep no reader from the events of others", arguments: [true, false])
    func others(hasMemory: Bool) async throws {
        let many = Observable<RawJSON>.from((0..<20).map { RawJSON(JSONValue($0)) })
        let kept = action("kept", history: true)
        let (host, store) = try open(
            file, [kept, action("late", history: false, many)], events: hasMemory ? 10_000 : 10)
        let begin = host.log.cursor
        try execute(host, "kept", times: 3)
        if hasMemory { try execute(host, "late") }
        host.reload([kept, action("late", history: true, many)])
        if !hasMemory { try execute(host, "late") }
        await store.flush()
        await store.flush()
        #expect(await eventually { host.log.isSettled })
        let both = try source(host, "kept", "late")
        for start in [EventStart.cursor(begin), .start] {
            let read = try await host.read(both, [.elements, .errors], from: start)
            #expect(read.prefix(3) == ["failure failed", "failure failed", "failure failed"], "\(read)")
            #expect(read.count == 23 && !read.contains { $0.hasPrefix("lost") }, "\(read)")
        }
        store.close()
    }

    @Test("whose events memory has lost before the reload are a loss of their own, once")
    func lostBefore() async throws {
        let many = Observable<RawJSON>.from((0..<20).map { RawJSON(JSONValue($0)) })
        let kept = action("kept", history: true)
        var (host, store) = try open(
            file, [kept, action("late", history: false, many), action("loose", history: false, many)], events: 10)
        let begin = host.log.cursor
        try execute(host, "kept", times: 3)
        try execute(host, "late")
        try execute(host, "loose")
        let definitions = [kept, action("late", history: true, many), action("loose", history: false, many)]
        host.reload(definitions)
        for isFirst in [true, false] {
            await store.flush()
            #expect(await eventually { host.log.isSettled })
            let all = try source(host, "kept", "late", "loose")
            for start in [EventStart.cursor(begin), .start, .time(0)] {
                let read = try await host.read(all, [.elements, .errors], from: start)
                #expect(read.filter { $0.hasPrefix("failure") }.count == 3, "\(start): \(read)")
                #expect(read.filter { $0.hasPrefix("lost") } == ["lost some"], "\(start): \(read)")
                #expect(read.contains("element 19") == isFirst)
            }
            store.close()
            (host, store) = try open(file, definitions, events: 10)
        }
        store.close()
    }

    @Test("without a history are a loss of their own, if memory has lost events of one of them")
    func withoutHistory() async throws {
        let many = Observable<RawJSON>.from((0..<20).map { RawJSON(JSONValue($0)) })
        let (host, store) = try open(
            file, [action("calm", history: false), action("busy", history: false, many)], events: 10)
        let begin = host.log.cursor
        try execute(host, "calm")
        try execute(host, "busy")
        for start in [EventStart.cursor(begin), .start] {
            let read = try await host.read(source(host, "calm", "busy"), [.elements, .errors], from: start)
            #expect(read.first == "failure failed" && read.filter { $0.hasPrefix("lost") } == ["lost some"], "\(read)")
            #expect(try await host.read(source(host, "calm", "busy"), .errors, from: start) == ["failure failed"])
        }
        #expect(throws: EventStartRefusal.self) {
            try host.log.open(source(host, "busy"), .elements, from: .cursor(begin)).get()
        }
        store.close()
    }

    @Test("that had a history return no event twice")
    func switchedOff() async throws {
        let many = Observable<RawJSON>.from((0..<20).map { RawJSON(JSONValue($0)) })
        let busy = action("busy", history: true, many)
        let (host, store) = try open(file, [action("off", history: true), busy], events: 10)
        let begin = host.log.cursor
        try execute(host, "off")
        host.reload([action("off", history: false), busy])
        try execute(host, "busy")
        await store.flush()
        #expect(await eventually { host.log.isSettled })
        let read = try await host.read(source(host, "off", "busy"), [.elements, .errors], from: .cursor(begin))
        #expect(read == ["failure failed"] + (0..<20).map { "element \($0)" })
        store.close()
    }

    @Test("that are new have lost nothing")
    func new() async throws {
        var (host, store) = try open(file, [action("kept", history: true)])
        try execute(host, "kept")
        await store.flush()
        let cursor = host.log.cursor
        store.close()
        let definitions = [
            action("kept", history: true), action("new", history: true), action("loose", history: false),
        ]
        for isFirst in [true, false] {
            (host, store) = try open(file, definitions)
            let read = try await host.read(source(host, "kept", "new", "loose"), .errors, from: .cursor(cursor))
            #expect(read == (isFirst ? [] : ["lost some"]))
            await store.flush()
            store.close()
        }
    }

    private func pass(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }

    @Test("without a history return nothing from before a time, and report no loss of that")
    func sinceTime() async throws {
        let many = Observable<RawJSON>.from((0..<20).map { RawJSON(JSONValue($0)) })
        let definitions = [
            action("kept", history: true), action("loose", history: false), action("busy", history: false, many),
        ]
        let kinds: EventKinds = [.elements, .errors, .executions]
        var (host, store) = try open(file, definitions, events: 10)
        try execute(host, "kept")
        await store.flush()
        for executesKept in [true, false] {
            store.close()
            let restart = time.withLock { $0 }
            (host, store) = try open(file, definitions, events: 10)
            if executesKept { try execute(host, "kept") }
            try execute(host, "loose")
            try execute(host, "busy")
            await store.flush()
            #expect(await eventually { host.log.isSettled })
            pass(60_000)
            let since = EventStart.time(time.withLock { $0 } - 5000)
            let all = try source(host, "kept", "loose", "busy")
            #expect(try await host.read(all, kinds, from: since) == [])
            try execute(host, "loose")
            try execute(host, "kept")
            await store.flush()
            #expect(await eventually { host.log.isSettled })
            #expect(try await host.read(all, .errors, from: since) == ["failure failed", "failure failed"])
            let lossy = try await host.read(all, .errors, from: .time(restart))
            #expect(lossy.first { $0.hasPrefix("lost") } == "lost some", "the restart has lost some since then")
            #expect(lossy.count { $0 == "failure failed" } >= 3)
        }
        store.close()
    }

    @Test("return what happens after a reader has begun with a time that is ahead")
    func aheadOfTime() throws {
        let (host, store) = try open(file, [action("loose", history: false)])
        try execute(host, "loose")
        let source = try source(host, "loose")
        let opening = try host.log.open(source, .errors, from: .time(time.withLock { $0 } + 60_000)).get()
        var position = try #require(opening.position)
        try execute(host, "loose")
        let portion = host.log.nextPortion(of: source, .errors, after: &position)
        #expect(portion.items.count == 1)
        store.close()
    }

    @Test("of a version that did not note them lack nothing with a history, and all without one")
    func unnamed() async throws {
        let definitions = [action("kept", history: true), action("loose", history: false)]
        var (host, store) = try open(file, definitions)
        let cursor = host.log.cursor
        store.close()
        try file.look { try $0.execute("DELETE FROM names; UPDATE log SET unnamed = reserved") }
        (host, store) = try open(file, definitions)
        #expect(try await host.read(source(host, "kept"), .errors, from: .cursor(cursor)) == [])
        #expect(try await host.read(source(host, "loose"), .errors, from: .cursor(cursor)) == ["lost some"])
        store.close()
    }

    @Test("of streams are known, however long ago their last events were")
    func quietStream() async throws {
        func open() throws -> (Host, ExecutionStore) {
            let (host, store) = try self.open(file, [])
            host.streams = ["quiet": FakeStream("quiet", persists: true), "busy": FakeStream("busy", persists: true)]
            return (host, store)
        }
        var (host, store) = try open()
        let begin = host.log.cursor
        host.publish(.element(RawJSON("kept")), of: "quiet", at: 1)
        let long = RawJSON(.string(String(repeating: "x", count: 1 << 20)))
        for _ in 0...LogLimits.bytesRead >> 20 {
            host.publish(.element(long), of: "busy", at: 2)
            await store.flush()
        }
        store.close()
        (host, store) = try open()
        for start in [EventStart.cursor(begin), .start] {
            #expect(try await host.read(source(host, "quiet"), .elements, from: start) == [#"element "kept""#])
        }
        store.close()
    }

    @Test("of streams are lost up to the reload that has them persist, if the host is killed")
    func streamWithReload() async throws {
        let (host, store) = try open(file, [])
        host.streams = ["late": FakeStream("late")]
        let begin = host.log.cursor
        host.publish(.element(RawJSON("before")), of: "late", at: 1)
        host.streams = ["late": FakeStream("late", persists: true)]
        let reload = host.log.cursor
        host.publish(.element(RawJSON("after")), of: "late", at: 2)
        await store.flush()
        let (next, again) = try open(try file.killed(), [])
        next.streams = ["late": FakeStream("late", persists: true)]
        let kept = #"element "after""#
        #expect(try await next.read(source(next, "late"), .elements, from: .cursor(begin)) == ["lost some", kept])
        #expect(try await next.read(source(next, "late"), .elements, from: .cursor(reload)) == [kept])
        again.close()
        store.close()
    }
}
