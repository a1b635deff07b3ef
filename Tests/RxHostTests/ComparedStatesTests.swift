import RxJSON
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

struct ComparedStatesTests {
    private func patch(_ text: String) throws -> JSONPatch { try JSONPatch(RawJSON(validating: text).value()) }

    @Test("states part where the patches do, wherever that is, and meet again when they are the same")
    func partAndMeet() throws {
        var states = ComparedStates(["a": [1, ["b": 2]], "c": 3])
        func step(_ kept: String, _ now: String) throws -> Bool {
            let isApplied = try states.step(kept: [patch(kept)], now: [patch(now)])
            #expect(isApplied)
            return states.areSame
        }
        let same = #"[{"op":"replace","path":"/c","value":4}]"#
        #expect(try step(same, same))
        #expect(try !step(#"[{"op":"replace","path":"/a/1/b","value":5}]"#, "[]"))
        #expect(states.difference == (try patch(#"[{"op":"replace","path":"/a/1/b","value":2}]"#)))
        // Also where they were found to differ before, if there is another difference by now.
        #expect(try !step(#"[{"op":"add","path":"/d","value":1}]"#, #"[{"op":"replace","path":"/a/1/b","value":5}]"#))
        #expect(try !step("[]", #"[{"op":"add","path":"/a/2","value":1}]"#))
        #expect(try !step("[]", #"[{"op":"add","path":"/d","value":1}]"#))
        #expect(states.difference == (try patch(#"[{"op":"add","path":"/a/2","value":1}]"#)))
        #expect(try step("[]", #"[{"op":"remove","path":"/a/2"}]"#))
        #expect(states.kept == ["a": [1, ["b": 5]], "c": 4, "d": 1])
        #expect(states.difference.isEmpty)
    }

    @Test("other patches to the same state leave them the same")
    func otherPatches() throws {
        var states = ComparedStates(["a": 1, "b": 2])
        let whole = try patch(#"[{"op":"replace","path":"","value":{"b":2,"a":3}}]"#)
        let part = try patch(#"[{"op":"replace","path":"/a","value":3}]"#)
        for (kept, now) in [([part], [whole]), ([part, part], [part])] {
            let isApplied = states.step(kept: kept, now: now)
            #expect(isApplied)
            #expect(states.areSame)
        }
    }

    @Test("a patch that does not apply is reported")
    func notApplicable() throws {
        var states = ComparedStates(["a": 1])
        let patch = try patch(#"[{"op":"remove","path":"/b"}]"#)
        let isApplied = states.step(kept: [patch], now: [patch])
        #expect(!isApplied)
    }
}
