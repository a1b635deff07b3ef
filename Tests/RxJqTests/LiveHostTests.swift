import HostTestSupport
import RxPlatform
import RxStore
import RxRecords
@testable import RxJq
import Rx
import RxAction
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxJq

/// A reactor of jq programs in a real host, with real workers and actions that a test controls.
@Suite(.countedApart)
struct HostSurroundingsTests {
    /// `tell` yields its input's elements and then ends, or fails where there is no list; `hold` goes on until it is
    /// canceled.
    private static func actions(_ cancelled: Locked<Int> = Locked(0)) -> [ActionDefinition] {
        [
            ActionDefinition(name: "tell", kind: "test", overlap: .queue(limit: 8), fingerprint: "tell") { invocation in
                guard let elements = invocation.input.value().array else {
                    return .error(WorkFailure(message: "no list", facts: ["got": invocation.input.value()]))
                }
                return .from(elements.map { RawJSON($0) })
            },
            ActionDefinition(name: "hold", kind: "test", fingerprint: "hold") { _ in
                Observable<RawJSON>.never().startWith(RawJSON("begun"))
                    .do(onDispose: { cancelled.withLock { $0 += 1 } })
            },
        ]
    }

    /// Keeps what it gets; executes `tell` or `hold` with an action's `tell` or `hold`, and merges `tell` and `mode`.
    private static func reactors(_ jqHost: LiveHost) -> [ReactorDefinition] {
        func rule(_ name: String) -> JqReactorPrograms.Rule {
            var rule = JqReactorPrograms.Rule()
            rule.when = ".action | objects | has(\"\(name)\")"
            rule.executes = true
            rule.input = ".action.\(name)"
            rule.element = "{element: .element}"
            rule.failure = "{failure: .error}"
            return rule
        }
        var programs = JqReactorPrograms(reduce: ".state + [.mutation]")
        programs.rules = [rule("tell"), rule("hold")]
        programs.merges = ["{seen: .element}", "{mode: .other}"]
        var plan = JqReactorPlan(initial: [], programs: programs)
        plan.actions = ["tell", "hold"]
        plan.sources = [.action("tell"), .reactor("mode")]
        var mode = JqReactorPlan("day", mutation: ".action", reduce: ".mutation")
        (plan.executable, mode.executable) = (ReactorHarness.program, ReactorHarness.program)
        (plan.limits, mode.limits) = (.patient, .patient)
        return [("log", plan), ("mode", mode)].map { name, plan in
            ReactorDefinition(
                name: name, kind: "jq", fingerprint: name,
                makeEngine: { JqReactorEngine(plan, host: jqHost, clock: .system) })
        }
    }

    private func withHost(
        _ actions: [ActionDefinition] = actions(), _ body: (Host, LiveHost) async throws -> Void
    ) async throws {
        let jqHost = LiveHost()
        let host = Host(actions, reactors: Self.reactors(jqHost))
        jqHost.enter(host)
        try host.startReactors()
        try await body(host, jqHost)
        await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
    }

    private func dispatch(
        _ action: JSONValue, to reactor: String = "log", of host: Host
    ) async throws -> Result<UInt64, DispatchRefusal> {
        let reactor = try #require(host.registry.reactor(reactor))
        return await withCheckedContinuation { continuation in
            reactor.dispatch(RawJSON(action), by: .host) { continuation.resume(returning: $0) }
        }
    }

    /// What has come of one kind.
    private func told(_ kind: String, of host: Host) throws -> [JSONValue] {
        let state = try #require(host.registry.reactor("log")).now.state.tree
        return (state.array ?? []).compactMap { $0[kind] }
    }

    private func eventually(_ condition: () throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(2))
        }
        return false
    }

    @Test("all elements of an execution are reduced, in their order, before its dispatch is answered")
    func elements() async throws {
        try await withHost { host, _ async throws -> Void in
            let numbers = (0..<200).map { JSONValue($0) }
            let revision = try await dispatch(["tell": .array(numbers)], of: host).get()
            #expect(try told("element", of: host) == numbers)
            #expect(revision >= 200)
            #expect(try await eventually { try told("seen", of: host) == numbers })
            #expect(try await eventually { try told("mode", of: host) == ["day"] })
        }
    }

    @Test("a rule that is given up withdraws; the execution goes on for those who requested it too")
    func joined() async throws {
        let (begun, cancelled) = (Locked(0), Locked(0))
        let hold = ActionDefinition(name: "hold", kind: "test", overlap: .join, fingerprint: "hold") { _ in
            Observable<RawJSON>.never().do(
                onSubscribe: { begun.withLock { $0 += 1 } }, onDispose: { cancelled.withLock { $0 += 1 } })
        }
        try await withHost([hold]) { host, jqHost async throws -> Void in
            func execute() -> any Disposable {
                jqHost.execute("hold", input: .null, causes: Causes(.host), onElement: { _ in }, onEnd: { _ in })
            }
            let rules = [execute(), execute()]
            #expect(try await eventually { begun.withLock { $0 } == 1 })
            rules[0].dispose()
            #expect(host.log.inFlight.count == 1 && cancelled.withLock { $0 } == 0)
            rules[1].dispose()
            #expect(try await eventually { host.log.inFlight.isEmpty && cancelled.withLock { $0 } == 1 })
            let action = try #require(host.registry["hold"])
            _ = host.submit(action, ExecutionRequest(input: .null, by: .host))
            execute().dispose()
            #expect(host.log.inFlight.count == 1 && cancelled.withLock { $0 } == 1)
        }
    }

    @Test("a failure has its name, its message and the work's facts; so does a refusal")
    func failures() async throws {
        try await withHost { host, _ async throws -> Void in
            _ = try await dispatch(["tell": 7], of: host).get()
            let failed: JSONValue = ["name": "workFailed", "message": "no list", "got": 7]
            #expect(try told("failure", of: host) == [failed])
            let tell = try #require(host.registry["tell"])
            let manual = ManualSwitch(by: .host, since: 0, reason: nil)
            let refused: StoreError? = await withCheckedContinuation { continuation in
                host.set(manual, of: tell) { continuation.resume(returning: $0) }
            }
            #expect(refused == nil)
            _ = try await dispatch(["tell": [1]], of: host).get()
            #expect(try told("failure", of: host).last?["name"] == "notEnabled")
            #expect(try told("element", of: host) == [])
        }
    }

    @Test(
        "an action that a reload took away is a failure of that name; what is in flight goes on, and it may come back")
    func removed() async throws {
        let cancelled = Locked(0)
        let actions = Self.actions(cancelled)
        try await withHost(actions) { host, jqHost async throws -> Void in
            async let held = dispatch(["hold": 1], of: host)
            #expect(try await eventually { try told("element", of: host) == ["begun"] })
            host.reload([], reactors: Self.reactors(jqHost))
            _ = try await dispatch(["tell": [1]], of: host).get()
            #expect(try told("failure", of: host).map { $0["name"] } == ["notFound"])
            #expect(cancelled.withLock { $0 } == 0)
            host.reload(actions, reactors: Self.reactors(jqHost))
            _ = try await dispatch(["tell": [2]], of: host).get()
            #expect(try told("element", of: host) == ["begun", 2])
            #expect(try await eventually { try told("seen", of: host) == [2] })
            // And with the reactor goes what it has executed, once it has had its time to end.
            host.reload(actions, reactors: [])
            guard case .failure(.failed(let fault)) = try await held else {
                Issue.record("the dispatch was answered otherwise")
                return
            }
            #expect(fault.stage == .stopped)
            #expect(try await eventually { cancelled.withLock { $0 } == 1 })
        }
    }

    @Test("a reactor that is taken away and comes back is merged again")
    func reactorReturns() async throws {
        try await withHost { host, jqHost async throws -> Void in
            #expect(try await eventually { try told("mode", of: host) == ["day"] })
            _ = try await dispatch("night", to: "mode", of: host).get()
            #expect(try await eventually { try told("mode", of: host) == ["day", "night"] })
            host.reload(Self.actions(), reactors: Self.reactors(jqHost).filter { $0.name == "log" })
            host.reload(Self.actions(), reactors: Self.reactors(jqHost))
            #expect(try await eventually { try told("mode", of: host) == ["day", "night", "day"] })
        }
    }
}
