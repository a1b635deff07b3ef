import HostTestSupport
import RxRecords
import Glibc
@testable import RxJq
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxJq

@Suite(.countedApart)
struct JqReactorEngineTests {
    @Test("actions that come at once are taken in their order, with a patch from each state to the next")
    func order() async throws {
        let reactor = try ReactorHarness(
            JqReactorPlan([], mutation: ".action, -.action", reduce: ".state + [.mutation]"))
        let count = 500
        await withTaskGroup { group in
            for number in 1...count {
                let (stream, continuation) = AsyncStream.makeStream(of: ReactorFault?.self)
                reactor.engine.dispatch(ReactorInput(RawJSON(JSONValue(number)), by: .host)) {
                    continuation.yield($0)
                    continuation.finish()
                }
                group.addTask { for await fault in stream { #expect(fault == nil) } }
            }
        }
        let told = reactor.outlet.now
        #expect(told.state == .array((1...count).flatMap { [JSONValue($0), JSONValue(-$0)] }))
        #expect(told.states.count == 2 * count)
        #expect(told.wrongPatches == 0)
        await reactor.stop()
    }

    @Test("a kept state is gone on from, and a kept mutation reduced before the call returns")
    func keeping() async throws {
        let reactor = try ReactorHarness(
            JqReactorPlan(
                [], mutation: ".action", reduce: ".state + [.mutation | if . == 0 then error(\"zero\") else . end]"),
            from: [7])
        try reactor.engine.replay(RawJSON(8))
        #expect(reactor.outlet.now.state == [7, 8])
        let fault = #expect(throws: ReactorFault.self) { try reactor.engine.replay(RawJSON(0)) }
        #expect(fault == ReactorFault(.reduce, "zero", input: RawJSON(0), at: ProgramPlace(nil, "reduce")))
        #expect(reactor.outlet.now.faults.isEmpty)
        #expect(await reactor.dispatch(9) == nil)
        #expect(reactor.outlet.now.state == [7, 8, 9])
        await reactor.stop()
    }

    @Test("a fault is reported with what it failed on, and the reactor goes on")
    func fault() async throws {
        let reactor = try ReactorHarness(
            JqReactorPlan(
                [], mutation: "if .action == 0 then error(\"no\") else .action end", reduce: ".state + [.mutation]"))
        let fault = ReactorFault(.mutate, "no", input: RawJSON(0), at: ProgramPlace(.rule(0), "mutation"))
        #expect(await reactor.dispatch(0) == fault)
        #expect(await reactor.dispatch(1) == nil)
        #expect(reactor.outlet.now.faults == [fault])
        #expect(reactor.outlet.now.state == [1])
        await reactor.stop()
    }

    @Test(
        "a program that never ends, takes all memory, or aborts fails only its action and affects no other reactor",
        arguments: [
            ("[repeat(1)]", ReactorFault.Stage.limit), ("last(repeat(1))", .limit), ("[range(1e10)]", .limit),
            ("1e300 | todate", .mutate),
        ])
    func limits(bomb: String, stage: ReactorFault.Stage) async throws {
        var plan = JqReactorPlan(
            [], mutation: "if .action == 0 then (\(bomb)) else .action end", reduce: ".state + [.mutation]")
        if stage == .limit { plan.limits.processorTime = .milliseconds(500) }
        let reactor = try ReactorHarness(plan)
        let other = try ReactorHarness(JqReactorPlan(0, mutation: "1", reduce: ".state + .mutation"))
        #expect(await reactor.dispatch(1) == nil)
        async let failed = reactor.dispatch(0)
        async let after = reactor.dispatch(2)
        for _ in 0..<100 { #expect(await other.dispatch(1) == nil) }
        let fault = await failed
        #expect(fault?.stage == stage)
        #expect(fault?.input == RawJSON(0))
        #expect(fault?.place == ProgramPlace(.rule(0), "mutation"), "the fault of a worker that dies has its place")
        #expect(await after == nil)
        #expect(Set(reactor.outlet.now.state.array ?? []) == [1, 2])
        #expect(reactor.outlet.now.wrongPatches == 0)
        #expect(other.outlet.now.state == 100)
        await reactor.stop()
        await other.stop()
    }

    @Test("a worker that is stopped, not merely slow, is given up by the clock")
    func wallTime() async throws {
        var plan = JqReactorPlan([], mutation: ".action", reduce: ".state + [.mutation]")
        // The dispatches before and after it have to be answered within it, on a busy machine too.
        plan.limits.wallTime = .seconds(12)
        plan.limits.memory += 1
        let reactor = try ReactorHarness(plan)
        _ = await reactor.dispatch(1)
        let worker = try #require(Self.worker(of: plan))
        kill(worker, SIGSTOP)
        async let failed = reactor.dispatch(2)
        try await reactor.outlet.wait { !$0.faults.isEmpty }
        #expect(await failed?.stage == .limit)
        #expect(await reactor.dispatch(3) == nil)
        #expect(reactor.outlet.now.state == [1, 3])
        await reactor.stop()
    }

    @Test("a worker that somebody kills is replaced, with the state that there was")
    func killed() async throws {
        var plan = JqReactorPlan(
            ["a": "long enough to stay where it is", "n": 0], mutation: ".action",
            reduce: ".mutation as $m | .state | .n += $m")
        plan.limits.memory += 2
        let reactor = try ReactorHarness(plan)
        _ = await reactor.dispatch(1)
        kill(try #require(Self.worker(of: plan)), SIGKILL)
        try await reactor.outlet.wait { !$0.faults.isEmpty }
        #expect(reactor.outlet.now.faults.map(\.stage) == [.limit])
        #expect(await reactor.dispatch(1) == nil)
        #expect(reactor.outlet.now.state["n"] == 2)
        await reactor.stop()
    }

    @Test("a state over its limit is not taken")
    func size() async throws {
        var plan = JqReactorPlan([], mutation: ".action", reduce: "[range(.mutation)]")
        plan.stateBytes = 1000
        let reactor = try ReactorHarness(plan)
        #expect(await reactor.dispatch(3) == nil)
        #expect(
            await reactor.dispatch(1000)
                == ReactorFault(
                    .size, "the state would be longer than 1000 bytes", input: RawJSON(1000),
                    at: ProgramPlace(.rule(0), "reduce")))
        #expect(reactor.outlet.now.state == [0, 1, 2])
        await reactor.stop()
        #expect(throws: ReactorFault(.restore, "the state is longer than 1000 bytes")) {
            try ReactorHarness(plan, from: .string(String(repeating: "x", count: 1000)))
        }
    }

    @Test("a dispatch is done when what it executes has ended, and other actions need not wait for it")
    func executions() async throws {
        var plan = JqReactorPlan([], mutation: "empty", reduce: ".state + [.mutation]")
        plan.programs.rules = [JqReactorPrograms.Rule(), JqReactorPrograms.Rule()]
        plan.programs.rules[0].when = ".action.deploy"
        plan.programs.rules[0].executes = true
        plan.programs.rules[0].input = ".action.deploy"
        plan.programs.rules[0].element = "{step: .element, of: .action.deploy.env}"
        plan.programs.rules[0].failure = "{failed: .error.message}"
        plan.programs.rules[1].when = ".action.say"
        plan.programs.rules[1].mutation = ".action.say"
        plan.actions = ["deploy", nil]
        let host = FakeHost()
        let reactor = try ReactorHarness(plan, host: host)
        async let deployed = reactor.dispatch(["deploy": ["env": "prod"]])
        while host.now.executions.isEmpty { await Task.yield() }
        let execution = host.now.executions[0]
        #expect(execution.action == "deploy")
        #expect(execution.input.text == #"{"env":"prod"}"#)
        #expect(await reactor.dispatch(["say": "meanwhile"]) == nil)
        execution.onElement(RawJSON("pull"))
        execution.onElement(RawJSON("start"))
        execution.onEnd(RawJSON(["message": "no route"]))
        #expect(await deployed == nil, "its failure has become a mutation")
        #expect(
            reactor.outlet.now.state
                == [
                    "meanwhile", ["step": "pull", "of": "prod"], ["step": "start", "of": "prod"],
                    ["failed": "no route"],
                ])
        await reactor.stop()
    }

    @Test("a failure that becomes no mutation is the dispatch's; stopping cancels what runs")
    func unmappedFailure() async throws {
        var plan = JqReactorPlan(0, mutation: "empty", reduce: ".state")
        plan.programs.rules[0].mutation = nil
        plan.programs.rules[0].executes = true
        plan.actions = ["deploy"]
        let host = FakeHost()
        let reactor = try ReactorHarness(plan, host: host)
        async let failed = reactor.dispatch(1)
        while host.now.executions.isEmpty { await Task.yield() }
        host.now.executions[0].onEnd(RawJSON(["message": "no"]))
        #expect(
            await failed
                == ReactorFault(
                    .mutate, "the execution of deploy failed", input: RawJSON(["message": "no"]),
                    at: ProgramPlace(.rule(0), "execute")))
        async let stopped = reactor.dispatch(2)
        while host.now.executions.count < 2 { await Task.yield() }
        await reactor.stop()
        #expect(await stopped?.stage == .stopped)
        #expect(host.now.cancelled == 1)
        #expect(await reactor.dispatch(3)?.stage == .stopped)
    }

    @Test("elements of actions and states of other reactors are merged; of states the newest counts")
    func merges() async throws {
        var plan = JqReactorPlan([], mutation: ".action", reduce: ".state + [.mutation]")
        plan.programs.merges = ["{seen: .element}", "{mode: .other, before: (.state | length)}"]
        plan.sources = [.action("deploy"), .reactor("mode")]
        let host = FakeHost()
        let reactor = try ReactorHarness(plan, host: host)
        host.now.elements["deploy"]?(RawJSON(1))
        try await reactor.outlet.wait { $0.states.count == 1 }
        host.now.states["mode"]?(RawJSON("day"))
        try await reactor.outlet.wait { $0.states.count == 2 }
        #expect(reactor.outlet.now.state == [["seen": 1], ["mode": "day", "before": 1]])
        for number in 0..<1000 { host.now.states["mode"]?(RawJSON(JSONValue(number))) }
        try await reactor.outlet.wait { $0.state.array?.last?["mode"] == 999 }
        #expect(reactor.outlet.now.wrongPatches == 0)
        await reactor.stop()
        #expect(host.now.elements.isEmpty && host.now.states.isEmpty)
    }

    /// The worker with the limits of `plan`, which no other test has.
    private static func worker(of plan: JqReactorPlan) -> pid_t? {
        guard let directory = opendir("/proc") else { return nil }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let pid = pid_t(name), let command = readText("/proc/\(pid)/cmdline") else { continue }
            let arguments = command.split(separator: "\0").map(String.init)
            if arguments.count > 3, Array(arguments[1...3]) == ["--jq-worker", "\(getpid())", "\(plan.limits.memory)"] {
                return pid
            }
        }
        return nil
    }
}
