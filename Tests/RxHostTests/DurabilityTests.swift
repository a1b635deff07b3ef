import Dispatch
import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

@Suite("A durable input", .countedApart)
struct DurabilityTests {
    private let file = StoreFile()
    private let puppet = Puppet()

    private func definition(_ name: String = "puppet") -> ActionDefinition {
        var definition = puppet.definition(name: name)
        definition.overlap = .queue(limit: 100)
        definition.isDurable = true
        definition.keepsHistory = true
        return definition
    }

    private static func keyed(_ key: String, isWatched: Bool = false) -> ExecutionRequest {
        ExecutionRequest(input: .null, by: .host, key: key, isWatched: isWatched)
    }

    private static func word(_ result: Result<RxHost.Attachment?, StoreError>) -> String {
        switch result {
        case .success: "kept"
        case .failure: "failed"
        }
    }

    @Test("is accepted once it is on the disk, also for a caller that joins by its key, without a missing element")
    func acceptance() async throws {
        let store = try file.open()
        let host = Host([definition()], store: store)
        let action = try #require(host.registry["puppet"])
        store.writes.queue.hang()
        let heard = Heard<String>()
        let first = try host.accept(action, Self.keyed("k")).get()
        let second = try host.accept(action, Self.keyed("k", isWatched: true)).get()
        #expect(first.execution === second.execution && second.disposition == .joined && !second.isKept)
        first.whenKept { heard.add(Self.word($0)) }
        second.whenKept { result in
            heard.add(Self.word(result))
            heard.add("watchers \(second.execution.watchers)")
        }
        #expect(heard.values.isEmpty && second.execution.watchers == 0)
        store.writes.queue.resume()
        #expect(await eventually { heard.values.count == 3 })
        #expect(heard.values == ["kept", "kept", "watchers 1"])
        host.log.unwatch(second.execution)
        #expect(await eventually { puppet.subject.hasObservers })
        puppet.complete()
        #expect(await eventually { host.log.inFlight.isEmpty })
        #expect(host.log.update { $0.recordedBytes } == 0)
        store.close()
    }

    @Test(
        "that the store cannot keep is refused with the reason, canceled, and frees its key", arguments: [true, false])
    func fullDisk(isClosed: Bool) async throws {
        let store = try file.open()
        let host = Host([definition()], store: store)
        let action = try #require(host.registry["puppet"])
        let first = try host.execute(action, .own()).get()
        await store.flush()
        if isClosed { store.close() } else { try store.limit(pages: 1) }
        for _ in 0..<3 {
            let heard = Heard<String>()
            let request = ExecutionRequest(
                input: RawJSON(unchecked: Array("\"\(String(repeating: "x", count: 100_000))\"".utf8)), by: .host,
                key: "k")
            let accepted = try host.accept(action, request).get()
            #expect(accepted.disposition != .joined)
            accepted.whenKept { heard.add(Self.word($0)) }
            #expect(await eventually { heard.values == ["failed"] && host.log.inFlight.count == 1 })
            #expect(host.log.record(of: accepted.execution).state.isFinal)
        }
        #expect(host.keys.count == 0 && host.log.inFlight.first === first)
        first.cancel(by: .host)
        // Started at once, it fails likewise.
        if isClosed {
            let heard = Heard<String>()
            try host.accept(action, Self.keyed("k")).get().whenKept { heard.add(Self.word($0)) }
            #expect(await eventually { heard.values == ["failed"] && host.log.inFlight.isEmpty })
        }
        #expect(!puppet.subject.hasObservers && host.keys.count == 0)
        store.close()
    }

    @Test("that is withdrawn while it waits has ended once no later host can start it")
    func withdrawal() async throws {
        let store = try file.open()
        let host = Host([definition()], store: store)
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        let waiting = try host.execute(action, .own()).get()
        await store.flush()
        store.writes.queue.hang()
        let heard = Heard<String>()
        let idle = Heard<Int>()
        waiting.observe { heard.add($0.text) }
        waiting.cancel(by: .host)
        waiting.cancel(by: .host)
        #expect(heard.values.isEmpty && host.log.record(of: waiting).state == .queued)
        host.stop { idle.add(1) }
        #expect(idle.values.isEmpty)
        store.writes.queue.resume()
        #expect(await eventually { heard.values == ["cancelled"] && idle.values == [1] })
        #expect(waiting.unkeptEnd == nil)
        store.close()
        let later = try file.open()
        #expect(later.takeRecovery().queued.isEmpty)
        #expect(try await later.found(waiting.id)?.state == .cancelled)
        later.close()
    }

    @Test("whose withdrawal the store cannot write reports the failure")
    func unkeptWithdrawal() async throws {
        let store = try file.open()
        let host = Host([definition()], store: store)
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        let waiting = try host.execute(action, .own()).get()
        store.close()
        waiting.cancel(by: .host)
        #expect(await eventually { host.log.record(of: waiting).state == .cancelled })
        #expect(waiting.unkeptEnd == .closed)
        #expect(host.log.snapshot(of: [action]).levels[0].queued == 0)
    }

    @Test("stays in the store when the host stops, whether its action is on, off or removed, and starts again in order")
    func stopping() async throws {
        let names = ["gone", "off", "on"]
        let store = try file.open()
        let host = Host(names.map { definition($0) }, store: store)
        var waiting: [ExecutionID] = []
        for name in names {
            let action = try #require(host.registry[name])
            let switchedOff = ManualSwitch(by: .host, since: 1, reason: nil)
            _ = try host.execute(action, .own()).get()
            for _ in 0..<3 { waiting.append(try host.execute(action, .own()).get().id) }
            if name == "off" { host.set(switchedOff, of: action) { _ in } }
        }
        await store.flush()
        host.reload([definition("off"), definition("on")])
        let idle = Heard<Int>()
        host.stop { idle.add(1) }
        #expect(await eventually { idle.values == [1] })
        for id in waiting {
            guard case .postponed? = host.execution(id)?.record.error else {
                Issue.record(
                    "what waits was reported as final: \(String(describing: host.execution(id)?.record.error))")
                continue
            }
        }
        store.close()

        let later = try file.open()
        let works = Heard<ExecutionID>()
        let next = ["off", "on"].map { name in
            var definition = definition(name)
            definition.work = { invocation in
                works.add(invocation.context.id)
                return .empty()
            }
            return definition
        }
        let second = Host(next, store: later)
        let recovery = second.resume()
        #expect(recovery.interrupted.map(\.id) == Array(waiting[..<3]))
        #expect(recovery.queued.map(\.id) == Array(waiting[3...]))
        #expect(await eventually { works.values == Array(waiting[6...]) })
        // Switched off: they are held, can be seen and canceled, and start when it is on.
        let off = try #require(second.registry["off"])
        #expect(second.log.snapshot(of: [off]).levels[0].queued == 3)
        #expect(second.log.executions().filter { $0.state == .queued }.map(\.id) == Array(waiting[3..<6]))
        let cancelled = try #require(second.execution(waiting[4]))
        cancelled.cancel(by: .host)
        #expect(await eventually { !cancelled.isInFlight })
        second.set(nil, of: off) { _ in }
        #expect(await eventually { works.values.suffix(2) == [waiting[3], waiting[5]] && second.log.inFlight.isEmpty })
        #expect(second.resume().queued.isEmpty)
        later.close()
    }

    @Test("continues when a reload replaces its action meanwhile")
    func reload() async throws {
        let store = try file.open()
        let host = Host([definition()], store: store)
        let action = try #require(host.registry["puppet"])
        let first = try host.execute(action, .own()).get()
        let rest = try (0..<3).map { _ in try host.execute(action, .own()).get() }
        host.reload([puppet.definition(fingerprint: "other")])
        #expect(action.definition.overlap == .reject && !action.definition.isDurable)
        for execution in [first] + rest {
            #expect(
                await eventually { host.log.record(of: execution).state == .executing && puppet.subject.hasObservers })
            execution.cancel(by: .host)
        }
        #expect(await eventually { host.log.inFlight.isEmpty })
        store.close()
        let later = try file.open()
        #expect(later.takeRecovery().queued.isEmpty)
        later.close()
    }
}
