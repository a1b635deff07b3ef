import HostTestSupport
import Rx
import RxAction
import RxHost
import RxJSON
import RxPlatform
import RxRecords
import TestSupport
import Testing

@testable import RxJq

/// The causes of executions that rules start, in a real host with real workers.
@Suite(.countedApart)
struct RuleCausesTests {
    private static let user = Origin.peer(uid: 1000, gid: 1000, pid: 42)

    /// Executes `action` with each action of its reactor, by its second rule.
    private static func reactor(_ name: String, executes action: String, _ host: LiveHost) -> ReactorDefinition {
        var programs = JqReactorPrograms(reduce: ".state")
        programs.rules = [JqReactorPrograms.Rule(), JqReactorPrograms.Rule()]
        programs.rules[0].when = "false"
        programs.rules[0].mutation = ".action"
        programs.rules[1].executes = true
        var plan = JqReactorPlan(initial: 0, programs: programs)
        plan.reactor = name
        plan.actions = [nil, action]
        plan.executable = ReactorHarness.program
        plan.limits = .patient
        return ReactorDefinition(
            name: name, kind: "jq", fingerprint: name,
            makeEngine: { [plan] in JqReactorEngine(plan, host: host, clock: .system) })
    }

    /// `hop` dispatches to `second` for the cause of its execution, and `again` to `loop` until its input is 0.
    private static func actions(_ host: LiveHost) -> [ActionDefinition] {
        @Sendable func dispatch(_ action: RawJSON, to reactor: String, _ invocation: Invocation) {
            host.host?.registry.reactor(reactor)?.dispatch(action, causes: invocation.causes) { _ in }
        }
        return [
            ActionDefinition(name: "hop", kind: "test", fingerprint: "hop") { invocation in
                dispatch(invocation.input, to: "second", invocation)
                return .empty()
            },
            ActionDefinition(name: "end", kind: "test", fingerprint: "end") { _ in .empty() },
            ActionDefinition(
                name: "again", kind: "test", overlap: .concurrent(limit: 100), fingerprint: "again"
            ) { invocation in
                let left = invocation.input.value().int ?? 0
                if left > 0 { dispatch(RawJSON(JSONValue(left - 1)), to: "loop", invocation) }
                return .empty()
            },
        ]
    }

    /// Dispatches `action` as a user, and returns the record of the last execution of `last`.
    private func record(
        of last: String, afterDispatching action: JSONValue, to reactor: String, count: Int = 1
    ) async throws -> ExecutionRecord? {
        let jqHost = LiveHost()
        let host = Host(
            Self.actions(jqHost),
            reactors: [("first", "hop"), ("second", "end"), ("loop", "again")].map { name, action in
                Self.reactor(name, executes: action, jqHost)
            })
        jqHost.enter(host)
        try host.startReactors()
        try #require(host.registry.reactor(reactor)).dispatch(RawJSON(action), by: Self.user) { _ in }
        func ended() -> [ExecutionRecord] { host.log.executions().filter { $0.action == last && $0.state.isFinal } }
        let deadline = ContinuousClock.now + .seconds(60)
        while ended().count < count, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(2)) }
        #expect(ended().count == count)
        await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
        return ended().max { $0.id < $1.id }
    }

    @Test("a user, a rule, its action, the rule of another reactor, and its action are a chain in that order")
    func chain() async throws {
        let record = try #require(try await record(of: "end", afterDispatching: 1, to: "first"))
        #expect(
            record.causes.links
                == [.rule(reactor: "second", rule: 1), .rule(reactor: "first", rule: 1), Self.user])
        #expect(record.by == .rule(reactor: "second", rule: 1) && record.causes.origin == Self.user)
        #expect(record.causes.omitted == 0)
    }

    @Test("a loop of 39 rules ends in a chain of 32 links, with the user last and 8 left out")
    func loop() async throws {
        let record = try #require(try await record(of: "again", afterDispatching: 38, to: "loop", count: 39))
        #expect(record.causes.links.count == 32 && record.causes.omitted == 8)
        #expect(record.causes.origin == Self.user)
        #expect(record.causes.links.dropLast().allSatisfy { $0 == .rule(reactor: "loop", rule: 1) })
    }
}
