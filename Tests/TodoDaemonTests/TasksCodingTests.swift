import RxJSON
import RxTodo
import Testing

@testable import TodoDaemon

@Suite("What the task list takes as an action")
struct TasksCodingTests {
    /// Values that are no text, or one of some length.
    private static let values =
        [
            "null", "true", "0", "1", "-1", "1.0", "1.5", "[]", "{}", #"["a"]"#, #"{"id":"a"}"#, #""""#, #""a""#,
            #""é💡""#,
        ]
        + [TasksSchema.titleLength, TasksSchema.memoLength].flatMap { length in
            [length, length + 1].flatMap { length in
                ["\"\(String(repeating: "x", count: length))\"", "\"\(String(repeating: "👩‍👧", count: length / 3))xx\""]
            }
        }

    private static var actions: [String] {
        var actions = values
        for name in ["create", "update", "move", "done", "undone", "toggle", "delete", "other", ""] {
            actions += values.map { #"{"\#(name)":\#($0)}"# }
            for (first, second) in [("title", "memo"), ("id", "title"), ("id", "memo"), ("id", "to"), ("id", "x")] {
                for value in values {
                    actions.append(#"{"\#(name)":{"\#(first)":\#(value)}}"#)
                    actions.append(#"{"\#(name)":{"\#(second)":\#(value)}}"#)
                    actions.append(#"{"\#(name)":{"\#(first)":"a","\#(second)":\#(value)}}"#)
                    actions.append(#"{"\#(name)":{"\#(first)":\#(value),"\#(second)":"a"}}"#)
                }
            }
            actions.append(#"{"\#(name)":{"id":"a","title":"b","memo":"c"}}"#)
            actions.append(#"{"\#(name)":{"id":"a","title":"b","memo":"c","to":1}}"#)
            actions.append(#"{"\#(name)":"a","done":"a"}"#)
        }
        return actions
    }

    @Test("is what its schema admits, and nothing else")
    func exact() throws {
        var taken = 0
        for text in Self.actions {
            let action = try RawJSON(validating: text)
            let isAdmitted = TasksSchema.actions.violations(of: action).isEmpty
            let isTaken = (try? TaskListReactor.Action(action.value())) != nil
            #expect(isAdmitted == isTaken, "\(text.prefix(100))")
            if isTaken { taken += 1 }
        }
        // Of all kinds, and far from all.
        #expect(taken > 50 && taken < Self.actions.count / 4)
    }
}
