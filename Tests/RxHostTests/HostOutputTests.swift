import Dispatch
import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// The output of a host's executions, wherever it is at the moment: in flight, on its way to the store, or there.
@Suite("The output of an execution", .countedApart)
struct HostOutputTests {
    private let file = StoreFile()
    private let work = PublishSubject<RawJSON>()
    private let errors = Locked<(@Sendable (UnsafeRawBufferPointer) -> Void)?>(nil)

    private func definition(keepsHistory: Bool = true) throws -> ActionDefinition {
        var definition = ActionDefinition(name: "talk", kind: "test", scheduler: .inline, fingerprint: "") {
            [work, errors] invocation in
            errors.withLock { $0 = invocation.keepError }
            return work.asObservable()
        }
        definition.keepsHistory = keepsHistory
        definition.schema = try JSONSchema(RawJSON(["properties": ["p": ["writeOnly": true]]]))
        return definition
    }

    private func host(_ store: ExecutionStore?, keepsHistory: Bool = true) throws -> (Host, HostedAction) {
        let host = Host([try definition(keepsHistory: keepsHistory)], store: store)
        host.resume()
        return (host, try #require(host.registry["talk"]))
    }

    private func say(_ text: String) { work.onNext(RawJSON(unchecked: Array(text.utf8))) }

    private func warn(_ text: String) {
        let keep = errors.withLock { $0 }
        Array(text.utf8).withUnsafeBytes { keep?($0) }
    }

    private func output(_ host: Host, _ id: ExecutionID) async throws -> KeptOutput? {
        try await withCheckedContinuation { continuation in
            host.output(of: id) { continuation.resume(returning: $0) }
        }.get()
    }

    private func line(_ host: Host, _ execution: HostedExecution) async throws -> String? {
        text(try await output(host, execution.id))
    }

    /// All that is kept, in a line.
    private func text(_ output: KeptOutput?) -> String? {
        output.map { output in
            let elements = output.elements.kept.map(\.text.text)
            let errors = output.errors.kept.map { "\(String(decoding: $0.bytes, as: UTF8.self))@\($0.elements)" }
            return "\(elements.joined(separator: " ")) of \(output.elements.count), "
                + "\(errors.joined(separator: " ")) of \(output.errors.bytes)"
        }
    }

    @Test("is the same in flight, while the store has not answered for the end, from the store, and after a restart")
    func everywhere() async throws {
        let store = try file.open()
        let (host, action) = try self.host(store)
        let execution = try host.execute(action, .own()).get()
        #expect(try await line(host, execution) == " of 0,  of 0")
        say("1")
        warn("oh ")
        warn("no")
        say("2")
        warn("!")
        let expected = "1 2 of 2, oh no@1 !@2 of 6"
        #expect(try await line(host, execution) == expected)
        await store.flush()
        store.writes.queue.hang()
        work.onCompleted()
        #expect(execution.record.state == .completed)
        warn("late")
        #expect(try await line(host, execution) == expected)
        #expect(host.log.read { $0.outputs.cost } == 0)
        store.writes.queue.resume()
        #expect(await eventually { host.log.read { $0.outputs.ended(execution.id) == nil } })
        #expect(try await line(host, execution) == expected)
        store.close()
        let again = try file.open()
        #expect(try await line(Host([], store: again), execution) == expected)
        again.close()
    }

    @Test("is in the store a second after it came, so that a crash does not lose it")
    func storedEarly() async throws {
        let store = try file.open()
        let (host, action) = try self.host(store)
        let execution = try host.execute(action, .own(#"{"p":"hunter2"}"#)).get()
        say(#""hunter2""#)
        warn("see hun")
        let rows = "SELECT count(*) FROM output"
        #expect(await eventually { (try? file.look { try $0.integer(rows) }) == 2 })
        let stored = try await store.keptOutput(of: execution.id)
        // More may follow: what looks like the start of a secret is one.
        #expect(text(stored) == #""[redacted]" of 1, see @1 [redacted]@1 of 7"#)
        warn("gry")
        work.onCompleted()
        #expect(await eventually { host.log.read { $0.outputs.ended(execution.id) == nil } })
        #expect(try await line(host, execution) == #""[redacted]" of 1, see hungry@1 of 10"#)
        store.close()
    }

    @Test("is not kept without a history, with a limit of 0, or without a store")
    func nothing() async throws {
        var retention = ExecutionStore.Retention()
        retention.output = 0
        for (limit, keepsHistory, hasStore) in [(64, false, true), (0, true, true), (64, true, false)] {
            retention.output = limit
            let store = hasStore ? try StoreFile().open(retention) : nil
            let (host, action) = try self.host(store, keepsHistory: keepsHistory)
            #expect(!host.keepsOutput(of: "talk"))
            let execution = try host.execute(action, .own()).get()
            say("1")
            warn("2")
            #expect(try await output(host, execution.id) == nil)
            #expect(host.log.read { $0.outputs.cost } == 0)
            #expect(host.whenOutput(of: execution, after: OutputPosition()) {} == nil)
            work.onCompleted()
            await store?.flush()
            #expect(try await output(host, execution.id) == nil)
            store?.close()
        }
    }

    @Test("wakes a reader once: with more than it has, or at the end; not one that is gone, or that has less already")
    func readers() async throws {
        let store = try file.open()
        let (host, action) = try self.host(store)
        let execution = try host.execute(action, .own()).get()
        let heard = Heard<String>()
        func wait(_ name: String, _ elements: Int, _ bytes: Int) -> (any Disposable)? {
            host.whenOutput(of: execution, after: OutputPosition(elements: elements, errorBytes: bytes)) {
                heard.add(name)
            }
        }
        let first = wait("first", 0, 0)
        let gone = wait("gone", 0, 0)
        #expect(first != nil && gone != nil && heard.values.isEmpty)
        gone?.dispose()
        say("1")
        #expect(heard.values == ["first"])
        warn("2")
        #expect(heard.values == ["first"] && wait("behind", 0, 1) == nil && wait("behind", 1, 0) == nil)
        #expect(wait("second", 1, 1) != nil)
        warn("3")
        #expect(heard.values == ["first", "second"])
        #expect(wait("end", 1, 2) != nil)
        work.onCompleted()
        #expect(heard.values == ["first", "second", "end"] && wait("over", 1, 2) == nil)
        first?.dispose()
        store.close()
    }

    @Test("has no secret of the input; nor has the error, whether the work is brief or not")
    func secrets() async throws {
        let store = try file.open()
        let (host, action) = try self.host(store)
        let execution = try host.execute(action, .own(#"{"p":"hunter2","q":"ada"}"#)).get()
        say(#"{"ada":"has hunter2"}"#)
        warn("hun")
        warn("ter2 ada")
        work.onError(WorkFailure(message: "no hunter2 of ada", facts: ["stderr": "hunter2"]))
        #expect(execution.record.error?.description == "no [redacted] of ada")
        #expect(await eventually { host.log.read { $0.outputs.ended(execution.id) == nil } })
        #expect(
            try await line(host, execution)
                == #"{"ada":"has [redacted]"} of 1, [redacted]@1  ada@1 of 11"#)
        let found = try await store.found(execution.id)
        let stored = try #require(found?.error?.stored.text)
        #expect(stored.contains("no [redacted] of ada") && !stored.contains("hunter2"))
        store.close()
        for isBrief in [true, false] {
            var fail = Builtin.fail.definition(name: "fail")
            fail.schema = try JSONSchema(RawJSON(["properties": ["p": ["writeOnly": true]]]))
            if !isBrief { fail.answer = nil }
            let host = Host([fail])
            let action = try #require(host.registry["fail"])
            #expect((action.briefWork != nil) == isBrief)
            let input = RawJSON(unchecked: Array(#"{"message":"is hunter2","p":"hunter2"}"#.utf8))
            let id: ExecutionID
            if isBrief {
                id = try #require(host.executeBriefly(action, input, by: .host)).id
            } else {
                id = try host.execute(action, ExecutionRequest(input: input, by: .host)).get().id
            }
            let found = try #require(host.execution(id))
            let error = try #require(found.record.error)
            #expect(error.description == "is [redacted]" && !error.stored.text.contains("hunter2"))
        }
    }
}
