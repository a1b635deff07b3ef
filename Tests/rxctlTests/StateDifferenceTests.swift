import ArgumentParser
import RxJSON
import Testing

@testable import rxctl

struct StateDifferenceTests {
    private func json(_ text: String) throws -> JSONValue { try RawJSON(validating: text).value() }

    @Test(
        "the patch leads from one state to the other, and never replaces an object or an array as a whole",
        arguments: [
            (#"{"a":1,"b":{"c":2}}"#, #"{"a":1,"b":{"c":3}}"#, ["- /b/c: 2", "+ /b/c: 3"]),
            (#"{"a":1}"#, #"{"b":1}"#, ["- /a: 1", "+ /b: 1"]),
            ("[1,2,3]", "[1,9,3]", ["- /1: 2", "+ /1: 9"]), ("[1,2,3]", "[1,3]", ["- /1: 2"]),
            ("[1]", "[1,2,3]", ["+ /1: 2", "+ /2: 3"]), ("[1,2,3,4]", "[4]", ["- /2: 3", "- /1: 2", "- /0: 1"]),
            (#"{"l":[{"x":1,"y":0}]}"#, #"{"l":[{"x":2,"y":0}]}"#, ["- /l/0/x: 1", "+ /l/0/x: 2"]),
            ("1", "2", ["- 1", "+ 2"]), (#"{"a/b":1}"#, #"{"a/b":[]}"#, ["- /a~1b: 1", "+ /a~1b: []"]),
            (#"{"a":1}"#, #"{"a":1}"#, []),
        ])
    func difference(from: String, to: String, lines: [String]) throws {
        let (old, new) = (try json(from), try json(to))
        let difference = StateDifference(from: old, to: new)
        #expect(difference.lines == lines)
        var patched = old
        try JSONPatch(difference.operations).apply(to: &patched)
        #expect(patched == new)
    }

    @Test("a position is a revision, so many before the newest, or a time")
    func positions() throws {
        #expect(try StatePosition("42") == .revision(42))
        #expect(try StatePosition("-1") == .back(1))
        guard case .time = try StatePosition("10m") else { return #expect(Bool(false)) }
        #expect(throws: (any Error).self) { try StatePosition("yesterday") }
        #expect(try (RootCommand.parseAsRoot(["state", "a", "--at", "-1"]) as? StateCommand)?.at == .back(1))
    }
}
