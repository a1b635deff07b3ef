import Glibc
import HostTestSupport
import Rx
import RxAction
import RxHost
import RxJSON
import RxPlatform
import RxRecords
import RxStore
import TestSupport
import Testing

@testable import RxJq

@Suite("A jq reactor whose file is removed and comes back", .countedApart)
struct GoingBackTests {
    /// Keeps its actions; `["a","b"]` is two mutations, and an object is executed as the action `hold`, whose elements
    /// are mutations.
    private static func definition(_ jqHost: LiveHost) -> ReactorDefinition {
        var mutation = JqReactorPrograms.Rule()
        mutation.when = ".action | type != \"object\""
        mutation.mutation = ".action | if type == \"array\" then .[] else . end"
        var execution = JqReactorPrograms.Rule()
        execution.when = ".action | type == \"object\""
        execution.executes = true
        execution.element = ".element"
        var programs = JqReactorPrograms(reduce: ".state + [.mutation]")
        programs.rules = [mutation, execution]
        var plan = JqReactorPlan(initial: [], programs: programs)
        plan.actions = [nil, "hold"]
        plan.executable = ReactorHarness.program
        plan.limits = .patient
        var definition = ReactorDefinition(
            name: "log", kind: "jq", fingerprint: "log",
            makeEngine: { [plan] in JqReactorEngine(plan, host: jqHost, clock: .system) })
        var persistence = ReactorPersistence()
        persistence.durability = .sync
        definition.persistence = persistence
        return definition
    }

    private func withReactor(_ body: (HostedReactor, _ path: String, Locked<Int>) async throws -> Void) async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/reactors.db"
        let cancelled = Locked(0)
        let hold = ActionDefinition(name: "hold", kind: "test", fingerprint: "hold") { _ in
            Observable<RawJSON>.never().startWith(RawJSON("begun"))
                .do(onDispose: { cancelled.withLock { $0 += 1 } })
        }
        let store = try StateStore(path: path) { _ in }
        let jqHost = LiveHost()
        let host = Host([hold], reactors: [Self.definition(jqHost)], stateStore: store)
        jqHost.enter(host)
        try host.startReactors()
        try await body(try #require(host.registry.reactor("log")), path, cancelled)
        await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
        store.close()
        withExtendedLifetime(directory) {}
    }

    private func dispatch(_ action: JSONValue, to reactor: HostedReactor) async -> String {
        await withCheckedContinuation { continuation in
            reactor.dispatch(RawJSON(action), by: .host) { result in
                switch result {
                case .success(let revision): continuation.resume(returning: "\(revision)")
                case .failure(.notKept): continuation.resume(returning: "not stored")
                case .failure(let refusal): continuation.resume(returning: "\(refusal)")
                }
            }
        }
    }

    @Test("goes back to the state without what fails, and takes the first action after that")
    func file() async throws {
        try await withReactor { reactor, path, _ async throws -> Void in
            #expect(await dispatch("a", to: reactor) == "1")
            try #require(rename(path, path + ".away") == 0)
            #expect(await dispatch(["b", "c"], to: reactor) == "not stored")
            #expect(reactor.now.state.tree == ["a"] && reactor.now.revision == 4)
            #expect(await dispatch("d", to: reactor) == "not stored")
            #expect(reactor.now.state.tree == ["a"] && reactor.now.revision == 4)
            try #require(rename(path + ".away", path) == 0)
            #expect(await dispatch(["b", "c"], to: reactor) == "6")
            #expect(reactor.now.state.tree == ["a", "b", "c"])
        }
    }

    @Test("answers each of many actions at once truthfully, and ends")
    func many() async throws {
        try await withReactor { reactor, path, _ async throws -> Void in
            let answers = Locked<[Int: Bool]>([:])
            func send(_ numbers: Range<Int>) {
                for number in numbers {
                    reactor.dispatch(RawJSON(JSONValue(number)), by: .host) { result in
                        answers.withLock { $0[number] = if case .success = result { true } else { false } }
                    }
                }
            }
            send(0..<200)
            try #require(rename(path, path + ".away") == 0)
            send(200..<400)
            #expect(await eventually { answers.withLock { $0.count } == 400 })
            try #require(rename(path + ".away", path) == 0)
            #expect(await dispatch(400, to: reactor) == "\(reactor.now.revision)")
            let kept = answers.withLock { answers in (0..<400).filter { answers[$0] == true } } + [400]
            #expect(reactor.now.state.tree == .array(kept.map { JSONValue($0) }))
            #expect(kept.count < 401)
        }
    }

    @Test("cancels what its rules execute when it goes back, and their dispatches fail")
    func executions() async throws {
        try await withReactor { reactor, path, cancelled async throws -> Void in
            let answers = Locked<[String]>([])
            reactor.dispatch(RawJSON(["hold": 1]), by: .host) { result in
                var word = "\(result)"
                if case .failure(.notKept) = result { word = "not stored" }
                answers.withLock { [word] in $0.append(word) }
            }
            #expect(await eventually { reactor.now.revision == 1 })
            #expect(await dispatch("a", to: reactor) == "2")
            try #require(rename(path, path + ".away") == 0)
            #expect(await dispatch("b", to: reactor) == "not stored")
            #expect(await eventually { answers.withLock { $0 } == ["not stored"] && cancelled.withLock { $0 } == 1 })
            #expect(reactor.now.state.tree == ["begun", "a"], "stored before, with another dispatch on top")
            try #require(rename(path + ".away", path) == 0)
        }
    }
}
