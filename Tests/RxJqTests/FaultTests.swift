import HostTestSupport
import RxHost
import RxJSON
import TestSupport
import Testing

@testable import RxJq

/// Where a program failed, and who may read why.
@Suite(.countedApart)
struct FaultTests {
    private func reactor(_ change: (inout JqReactorPlan) -> Void) throws -> ReactorHarness {
        var plan = JqReactorPlan([], mutation: "empty", reduce: ".state + [.mutation]")
        plan.programs.rules.append(JqReactorPrograms.Rule())
        plan.programs.rules[1].mutation = ".action"
        plan.actions.append(nil)
        change(&plan)
        return try ReactorHarness(plan)
    }

    @Test("each program of the second rule is named when it fails", arguments: ["when", "mutation", "input"])
    func programs(program: String) async throws {
        let broken = "if .action == 1 then .action.x else .action end"
        let reactor = try reactor { plan in
            switch program {
            case "when": plan.programs.rules[1].when = broken
            case "mutation": plan.programs.rules[1].mutation = broken
            default:
                plan.programs.rules[1].executes = true
                plan.programs.rules[1].input = broken
            }
        }
        let fault = try #require(await reactor.dispatch(1))
        #expect(fault.place == ProgramPlace(.rule(1), program))
        #expect(fault.text == "mutate[1].\(program): \(fault.message)" && fault.message.contains("Cannot index"))
        #expect(!fault.isPublic && !fault.publicText.contains("Cannot"))
        #expect(fault.publicText.hasPrefix("mutate[1].\(program): failed; "))
        await reactor.stop()
    }

    @Test("elements and failures of executions, merges, and reduce are named too")
    func later() async throws {
        let host = FakeHost()
        var plan = JqReactorPlan(
            [], mutation: "empty", reduce: "if .mutation == 7 then .mutation.x else .state + [.mutation] end")
        plan.programs.rules[0].executes = true
        plan.programs.rules[0].element = ".element | if . == 7 then . else .x end"
        plan.programs.rules[0].failure = ".error.x.y.z"
        plan.programs.merges = [".element.x"]
        plan.actions = ["deploy"]
        plan.sources = [.action("deploy")]
        let reactor = try ReactorHarness(plan, host: host)
        async let answer = reactor.dispatch(1)
        while host.now.executions.isEmpty { await Task.yield() }
        host.now.executions[0].onElement(RawJSON(1))
        host.now.executions[0].onElement(RawJSON(7))
        host.now.elements["deploy"]?(RawJSON(3))
        host.now.executions[0].onEnd(RawJSON(["x": 1]))
        _ = await answer
        let places = reactor.outlet.now.faults.map { $0.place?.description }
        #expect(places == ["mutate[0].element", "reduce for mutate[0]", "merge[0].mutation", "mutate[0].failure"])
        await reactor.stop()
    }

    @Test("text in error(\"…\") is the operator's and for everybody; values and computed messages are not")
    func operatorTexts() async throws {
        let reactor = try reactor { plan in
            plan.programs.rules[1].mutation = """
                if .action == 1 then error("too many") elif .action == 2 then error("more than \\(.state | length)")
                elif .action == 3 then error({a: 1}) else error(.action) end
                """
        }
        for (action, message, isPublic) in [
            (1, "too many", true), (2, "more than 0", false), (3, #"{"a":1}"#, false),
        ] as [(JSONValue, String, Bool)] {
            let fault = try #require(await reactor.dispatch(action))
            #expect(fault.message == message && fault.isPublic == isPublic, "\(fault)")
        }
        let fault = try #require(await reactor.dispatch("from the client"))
        #expect(fault.message == "from the client" && !fault.isPublic)
        await reactor.stop()
    }

    @Test(
        "the literals of error(\"…\") are found, and nothing else",
        arguments: [
            (#"error("a")"#, ["a"]), (#"error ( "a" # why\#n)"#, ["a"]),
            (#"error("a\n\"b\" \u00e9")"#, ["a\n\"b\" é"]),
            (#"error("a \(.b)")"#, []), (#"error("a" + .b)"#, []), (#""a" | error"#, []), (#"error(.a)"#, []),
            (#".error("a")"#, []), (#"myerror("a")"#, []), (#"# error("a")"#, []), (#""error(\"a\")""#, []),
            (#"if . then error("a") else error("b") end"#, ["a", "b"]), (#""x\(error("a"))" | error("b")"#, ["b"]),
            (#"error("unfinished"#, []), (#"error("#, []), ("", []), (#""\"#, []), (#""\("#, []),
        ] as [(String, [String])])
    func literals(program: String, texts: [String]) {
        #expect(ErrorLiterals.of(program) == texts)
    }
}
