import Dispatch
import Rx
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Keys of a host with a store: what is reported to a caller is stored before, and a later host knows it.
@Suite("A stored key", .countedApart)
struct StoredKeyTests {
    private let file = StoreFile()
    private let puppet = Puppet()

    /// An action of which nothing but its keys is stored.
    private func definition(_ overlap: Overlap = .queue(limit: 100)) -> ActionDefinition {
        var definition = puppet.definition()
        definition.overlap = overlap
        return definition
    }

    private static func keyed(_ key: String?, requester: UInt64? = nil) -> ExecutionRequest {
        ExecutionRequest(input: .null, by: .host, key: key, requester: requester)
    }

    private static func word(_ result: Result<RxHost.Attachment?, StoreError>) -> String {
        switch result {
        case .success: "kept"
        case .failure: "failed"
        }
    }

    /// The executions of `count` requests, one by one, by a host on the file.
    private func answers(_ keys: [String], by definition: ActionDefinition) async throws -> [ExecutionID] {
        let store = try file.open()
        let host = Host([definition], store: store)
        host.resume()
        let action = try #require(host.registry[definition.name])
        var ids: [ExecutionID] = []
        for key in keys {
            let accepted = try host.accept(action, Self.keyed(key)).get()
            let heard = Heard<String>()
            accepted.whenKept { heard.add(Self.word($0)) }
            #expect(await eventually { heard.values == ["kept"] && !accepted.execution.isInFlight })
            ids.append(accepted.execution.id)
        }
        store.close()
        return ids
    }

    @Test("means the same execution after a restart, without history, and for inline work")
    func withoutHistory() async throws {
        let runs = Heard<Int>()
        let work = ActionDefinition(name: "work", kind: "test", scheduler: .inline, fingerprint: "") { invocation in
            runs.add(1)
            return .just(invocation.input)
        }
        let first = try await answers(["a", "b", "c", "d", "e"], by: work)
        #expect(try await answers(["e", "d", "c", "b", "a", "f"], by: work).prefix(5) == first.reversed()[...])
        #expect(runs.values.count == 6)
    }

    @Test("is reported, and its work begins, once the store has it")
    func order() async throws {
        let store = try file.open()
        let host = Host([definition()], store: store)
        let action = try #require(host.registry["puppet"])
        store.writes.queue.hang()
        let accepted = try host.accept(action, Self.keyed("k")).get()
        let again = try host.accept(action, Self.keyed("k")).get()
        #expect(!accepted.isKept && !again.isKept && again.execution === accepted.execution)
        let heard = Heard<String>()
        accepted.whenKept { heard.add(Self.word($0)) }
        again.whenKept { heard.add(Self.word($0)) }
        // Its end does not make it known earlier.
        accepted.execution.cancel(by: .host)
        let late = try host.accept(action, Self.keyed("k")).get()
        #expect(!late.isKept)
        #expect(heard.values.isEmpty && !puppet.subject.hasObservers)
        store.writes.queue.resume()
        #expect(await eventually { heard.values == ["kept", "kept"] && host.log.inFlight.isEmpty })
        #expect(try host.accept(action, Self.keyed("k")).get().isKept)
        // Without a key, nothing waits.
        let plain = try host.accept(action, Self.keyed(nil)).get()
        #expect(plain.isKept && puppet.subject.hasObservers)
        puppet.complete()
        store.close()
    }

    @Test("that joins an execution is stored before that is reported, and has its end after a restart")
    func joined() async throws {
        let store = try file.open()
        let host = Host([definition(.join)], store: store)
        let action = try #require(host.registry["puppet"])
        let first = try host.accept(action, Self.keyed(nil)).get().execution
        store.writes.queue.hang()
        let accepted = try host.accept(action, Self.keyed("k")).get()
        let again = try host.accept(action, Self.keyed("k")).get()
        #expect(accepted.execution === first && again.execution === first)
        #expect(!accepted.isKept && !again.isKept)
        let heard = Heard<String>()
        for accepted in [accepted, again] { accepted.whenKept { heard.add(Self.word($0)) } }
        #expect(heard.values.isEmpty)
        store.writes.queue.resume()
        #expect(await eventually { heard.values == ["kept", "kept"] })
        #expect(await eventually { (try? host.accept(action, Self.keyed("k")).get().isKept) == true })
        puppet.complete()
        #expect(!first.isInFlight)
        store.close()
        let later = try file.open()
        let keyed = later.takeRecovery().keyed
        #expect(keyed.map(\.id) == [first.id] && keyed.first?.record?.state == .completed)
        later.close()
    }

    @Test("that cannot be stored withdraws only the request that joined with it, and is free")
    func unstorable() async throws {
        let store = try file.open()
        let host = Host([definition(.join)], store: store)
        let action = try #require(host.registry["puppet"])
        let first = try host.accept(action, Self.keyed(nil)).get().execution
        store.close()
        let heard = Heard<String>()
        let joined = try host.accept(action, Self.keyed("k", requester: 1)).get()
        joined.whenKept { heard.add(Self.word($0)) }
        #expect(await eventually { heard.values == ["failed"] })
        #expect(first.isInFlight && host.keys.count == 0)
        puppet.complete()
        let own = try host.accept(action, Self.keyed("k")).get()
        own.whenKept { heard.add(Self.word($0)) }
        #expect(await eventually { heard.values == ["failed", "failed"] && host.log.inFlight.isEmpty })
        #expect(host.keys.count == 0)
    }

    @Test("that two threads give at once starts or joins one execution, time and again")
    func twoThreads() async throws {
        let store = try file.open()
        var definition = Builtin.echo.definition(name: "echo")
        definition.overlap = .join
        let host = Host([definition], store: store)
        let action = try #require(host.registry["echo"])
        for round in 0..<300 {
            let ends = Heard<String>()
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                // One round in three has two keys, of which one may join.
                let key = round % 3 == 0 ? "k\(round) \(thread)" : "k\(round)"
                guard case .success(let accepted) = host.accept(action, Self.keyed(key)) else { return ends.add("no") }
                accepted.whenKept { ends.add(Self.word($0)) }
            }
            #expect(await eventually { ends.values == ["kept", "kept"] })
        }
        #expect(await eventually { host.log.inFlight.isEmpty })
        let count = host.keys.count
        store.close()
        let later = try file.open()
        let keyed = later.takeRecovery().keyed
        #expect(keyed.count == count && keyed.allSatisfy { $0.record?.state == .completed })
        later.close()
    }

    @Test("of an action that was not configured means the same execution when it is again")
    func configuredLater() async throws {
        let echo = Builtin.echo.definition(name: "echo")
        let first = try await answers(["k"], by: echo)
        let store = try file.open()
        let host = Host([], store: store)
        host.resume()
        host.reload([echo])
        let action = try #require(host.registry["echo"])
        #expect(try host.accept(action, Self.keyed("k")).get().execution.id == first[0])
        store.close()
    }

    @Test("of a queued durable input that can no longer start has the state interrupted")
    func gone() async throws {
        var durable = definition()
        durable.isDurable = true
        let store = try file.open()
        let host = Host([durable], store: store)
        let action = try #require(host.registry["puppet"])
        _ = try host.execute(action, .own()).get()
        let waiting = try host.execute(action, Self.keyed("k")).get()
        let idle = Heard<Int>()
        await store.flush()
        host.stop { idle.add(1) }
        #expect(await eventually { idle.values == [1] })
        store.close()
        for _ in 0..<2 {
            let later = try file.open()
            let next = Host([definition()], store: later)
            next.resume()
            let again = try next.accept(try #require(next.registry["puppet"]), Self.keyed("k")).get()
            #expect(again.execution.id == waiting.id && again.execution.record.state == .interrupted)
            later.close()
        }
    }

    @Test("of a durable execution, and the execution, do not keep the store from writing while the work blocks")
    func blockingWork() async throws {
        let store = try file.open()
        let isBlocked = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        for scheduler in [WorkScheduler.inline, .serial] {
            var blocking = ActionDefinition(name: "blocking", kind: "test", scheduler: scheduler, fingerprint: "") {
                _ in
                isBlocked.signal()
                mayEnd.wait()
                return .empty()
            }
            blocking.isDurable = true
            let host = Host([blocking], store: store)
            let action = try #require(host.registry["blocking"])
            let execution = try host.execute(action, Self.keyed("\(scheduler)")).get()
            #expect(await eventually { isBlocked.wait(timeout: .now()) == .success })
            let other = Heard<Int>()
            store.set(nil, of: "other") { _ in other.add(1) }
            #expect(await eventually { other.values == [1] })
            mayEnd.signal()
            #expect(await eventually { !execution.isInFlight })
        }
        store.close()
    }
}
