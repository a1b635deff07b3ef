import HostTestSupport
import Glibc
@testable import RxJq
import RxJSON
import TestSupport
import Testing

@Suite(.ownThreads)
struct WorkerProcessTests {
    @Test("actions become mutations, mutations states, and only what has changed is reported")
    func light() throws {
        var programs = JqReactorPrograms(
            mutations: "{on: (.state.on | not)}", reduce: ".state.on = .mutation.on | .state")
        programs.rules[0].when = #".action == "toggle""#
        let worker = try Worker(programs, state: ["on": false, "name": "hall and stairs, as far as the door"])
        let first = try worker.dispatch("toggle")
        #expect(first.mutations == [#"{"on":true}"#])
        #expect(first.patches == [#"[{"op":"replace","path":"/on","value":true}]"#])
        #expect(try worker.dispatch("dance") == Worker.Answer(refusal: ""))
        #expect(try worker.dispatch("toggle").patches == [#"[{"op":"replace","path":"/on","value":false}]"#])
        #expect(worker.state["on"] == false)
    }

    @Test("rules apply in their order, each to the state that those before it left")
    func order() throws {
        let worker = try Worker(
            JqReactorPrograms(
                mutations: ".action[]", #"if .state == [1,2] then "seen" else "not seen" end"#,
                reduce: ".state + [.mutation]"),
            state: [])
        #expect(try worker.dispatch([1, 2]).mutations == ["1", "2", #""seen""#])
        #expect(worker.state == [1, 2, "seen"])
    }

    @Test("a rule that refuses is asked before all others, and nothing is reduced")
    func refusal() throws {
        var programs = JqReactorPrograms(mutations: ".action", nil, nil, reduce: ".state + [.mutation]")
        programs.rules[1].when = #".action == "ship" and .state == []"#
        programs.rules[1].refuse = #""cannot ship: \(.state)""#
        programs.rules[2].when = #".action == "bad""#
        programs.rules[2].refuse = "empty"
        let worker = try Worker(programs, state: [])
        #expect(try worker.dispatch("ship") == Worker.Answer(refusal: "mutate[1].refuse: cannot ship: []"))
        #expect(try worker.dispatch("pay").mutations == [#""pay""#])
        #expect(try worker.dispatch("ship").mutations == [#""ship""#])
        #expect(
            try worker.dispatch("bad")
                == Worker.Answer(fault: #"mutate: refuse must have one answer, the reason: "bad""#))
        #expect(worker.state == ["pay", "ship"])
    }

    @Test("an action that no rule takes is refused, or ignored if the reactor wants that; rules see earlier mutations")
    func noRule() throws {
        var programs = JqReactorPrograms(mutations: "1", "2", reduce: ".state + .mutation")
        programs.rules[0].when = #".action == "a""#
        programs.rules[1].when = ".state == 1"
        #expect(try Worker(programs, state: 0).dispatch("b") == Worker.Answer(refusal: ""))
        #expect(try Worker(programs, state: 0).dispatch("a").mutations == ["1", "2"])
        programs.ignoresOthers = true
        #expect(try Worker(programs, state: 0).dispatch("b") == Worker.Answer())
    }

    @Test("a rule that holds takes the action, even if it has no mutation for it")
    func emptyMutation() throws {
        let programs = JqReactorPrograms(mutations: "empty", reduce: ".state")
        #expect(try Worker(programs, state: 0).dispatch("a") == Worker.Answer())
    }

    @Test("without rules, the action is the mutation")
    func direct() throws {
        let worker = try Worker(JqReactorPrograms(reduce: ".state + .mutation"), state: 1)
        #expect(try worker.dispatch(2).mutations == ["2"])
        #expect(worker.state == 3)
        #expect(try worker.dispatch("x").fault?.hasPrefix("reduce: number (3) and string") == true)
    }

    @Test("executions are asked for with their inputs, and what comes of them is reduced")
    func executions() throws {
        var programs = JqReactorPrograms(mutations: nil, nil, reduce: ".state + [.mutation]")
        programs.rules[0].executes = true
        programs.rules[0].input = ".action.inputs[]"
        programs.rules[0].element = "{action: .action.name, element, state}"
        programs.rules[0].failure = ".error.message"
        programs.rules[1].executes = true
        programs.merges = [".element", "[.state[0], .other]"]
        let worker = try Worker(programs, state: [])
        let action: JSONValue = ["name": "a", "inputs": [1, 2]]
        #expect(
            try worker.dispatch(action).executions
                == ["0: 1", "0: 2", #"1: {"name":"a","inputs":[1,2]}"#])
        _ = try worker.ask(.element(rule: 0, action: RawJSON(action), RawJSON("e")))
        _ = try worker.ask(.failure(rule: 0, action: RawJSON(action), RawJSON(["message": "no"])))
        #expect(try worker.ask(.element(rule: 1, action: RawJSON(action), RawJSON("e"))) == Worker.Answer())
        _ = try worker.ask(.merge(0, isState: false, RawJSON(7)))
        _ = try worker.ask(.merge(1, isState: true, RawJSON(8)))
        let first: JSONValue = ["action": "a", "element": "e", "state": []]
        #expect(worker.state == [first, "no", 7, [first, 8]])
        #expect(try worker.ask(.replay(RawJSON(9))).mutations == ["9"])
        #expect(worker.state[4] == 9)
    }

    @Test("a fault names the place and the input; what was reduced before it stays, and the worker goes on")
    func faults() throws {
        let worker = try Worker(
            JqReactorPrograms(
                mutations: ".action[] | if . == null then error({a: 1}) else . end",
                reduce:
                    #"if .mutation == "bad" then error("no\nway") elif .mutation == "none" then empty "#
                    + #"elif .mutation == "two" then 1, 2 else .state + [.mutation] end"#
            ), state: [])
        #expect(try worker.dispatch([1, nil, 2]).fault == #"mutate: {"a":1}: [1,null,2]"#)
        #expect(worker.state == [1])
        #expect(try worker.dispatch([2, "bad", 3]).fault == #"reduce: no way: "bad""#)
        #expect(try worker.dispatch(["none"]).fault == #"reduce: reduce has no answer, where it must have one: "none""#)
        #expect(try worker.dispatch(["two"]).fault == #"reduce: reduce has more than one answer: "two""#)
        let many = try worker.dispatch(.array((0...1000).map { JSONValue($0) }))
        #expect(many.fault?.hasPrefix("mutate: more than 1000 mutations: [0,1,2") == true)
        #expect(many.mutations.isEmpty)
        #expect(worker.state == [1, 2])
    }

    @Test("a state beyond its size, or too deep, is not taken")
    func size() throws {
        let worker = try Worker(
            JqReactorPrograms(
                mutations: ".action",
                reduce: "if .mutation > 0 then [range(.mutation)] else reduce range(1000) as $i (1; [.]) end"),
            state: [], stateBytes: 100)
        #expect(try worker.dispatch(10).fault == nil)
        #expect(try worker.dispatch(1000).fault == "size: the state would be longer than 100 bytes: 1000")
        #expect(try worker.dispatch(0).fault == "size: the state would be nested too deeply: 0")
        #expect(try worker.dispatch(20).fault == nil)
        #expect(worker.state == .array((0..<20).map { JSONValue($0) }))
    }

    @Test("the size is kept account of, whatever changes")
    func account() throws {
        let growing = try Worker(
            JqReactorPrograms(
                mutations: ".action",
                reduce: ".mutation as $m | .state "
                    + "| if $m.drop then del(.[$m.drop]) else .[$m.put] = [1, \"text\"] end"),
            state: [:], stateBytes: 200)
        // Ten times as much comes and goes as may be there at a time.
        for number in 0..<200 {
            #expect(try growing.dispatch(["put": .string("key\(number)")]).fault == nil)
            if number > 3 { #expect(try growing.dispatch(["drop": .string("key\(number - 4)")]).fault == nil) }
        }
        #expect(growing.state.object?.count == 4)
    }

    @Test(
        "a worker that exceeds a limit ends, and what it sent before is read",
        arguments: [
            ("[repeat(1)] | empty", WorkerEnd.time),
            ("last(range(1e12))", .time),
            ("[range(1e10)]", .memory),
            (#"reduce range(100) as $i ("x"; . + .)"#, .memory),
            ("1e300 | todate", .aborted(.mutate)),
        ])
    func limits(mutation: String, end: WorkerEnd) throws {
        var limits = JqLimits.patient
        if end == .time { limits.processorTime = .milliseconds(200) }
        let worker = try Worker(
            JqReactorPrograms(mutations: "if .action then (\(mutation)) else 1 end", reduce: ".state + [.mutation]"),
            state: [],
            limits: limits)
        worker.process.send(.action(.false))
        worker.process.send(.action(.true))
        worker.process.send(.action(.false))
        #expect(try worker.answer().mutations == ["1"])
        #expect(throws: end) { try worker.answer() }
        #expect(worker.state == [1])
    }

    @Test("an abort in reduce is reported as such")
    func abortInReduce() throws {
        let worker = try Worker(JqReactorPrograms(mutations: "1", reduce: "1e300 | todate"), state: [])
        #expect(throws: WorkerEnd.aborted(.reduce)) { try worker.dispatch(1) }
    }

    @Test("recursion without an end is a crash of the worker's, not ours")
    func recursion() throws {
        let worker = try Worker(
            JqReactorPrograms(mutations: "reduce range(1000000) as $i (1; [.]) | tojson", reduce: ".state"), state: [])
        #expect(throws: WorkerEnd.self) { try worker.dispatch(1) }
    }

    @Test("programs see no environment, and cannot be fed")
    func surroundings() throws {
        let worker = try Worker(
            JqReactorPrograms(mutations: "[env, $ENV, (try input catch .)]", reduce: ".mutation"), state: [])
        _ = try worker.dispatch(1)
        // The home is where jq looks for definitions.
        #expect(worker.state == [[:], ["HOME": "/nonexistent"], "break"])
    }

    @Test("a worker that has grown is renewed between two requests")
    func renewal() throws {
        var limits = JqLimits.patient
        limits.memory = 32 << 20
        let worker = try Worker(
            JqReactorPrograms(mutations: #""x" * 10000"#, reduce: ".state + [.mutation]"), state: [],
            stateBytes: 1 << 30, limits: limits)
        var end: WorkerEnd?
        var count = 0
        while end == nil, count < 3000 {
            do {
                _ = try worker.dispatch(1)
                count += 1
            } catch let error as WorkerEnd { end = error }
        }
        #expect(end == .renewed)
        #expect(worker.state.array?.count == count)
    }

    @Test("elements that move are reported as moves, in a list of any surroundings")
    func moves() throws {
        let worker = try Worker(
            JqReactorPrograms(
                mutations: ".action",
                reduce: ".mutation as $m | .state | .list |= (.[:1] + (.[1:-1] | sort_by(.rank[$m] // .id)) + .[-1:])"),
            state: [
                "list": .array(
                    (0..<6).map {
                        [
                            "id": JSONValue($0), "rank": ["x": JSONValue(($0 * 3) % 6)],
                            "text": "long enough that moving costs less than writing it",
                        ]
                    })
            ])
        let answer = try worker.dispatch("x")
        #expect(worker.state["list"]?.array?.map { $0["id"] } == [0, 2, 4, 1, 3, 5])
        #expect(answer.patches[0].contains(#""op":"move""#))
        #expect(!answer.patches[0].contains("rank"))
    }
}
