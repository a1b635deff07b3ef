import RxJSON
import Testing

@testable import rxctl

struct ExecutionArgumentTests {
    @Test("a UUID is an execution, in either case; everything else is not")
    func ids() {
        let id = "01a1fc74-5543-7000-b6c5-3532564cb263"
        #expect(ExecutionArgument.id(id) == id)
        #expect(ExecutionArgument.id("01A1FC74-5543-7000-B6C5-3532564CB263") == id)
        for other in [
            "", "deploy", "01a1fc7455437000b6c53532564cb263", id + "0", "g" + id.dropFirst(), id + "-",
            "01a1fc745-543-7000-b6c5-3532564cb263",
        ] {
            #expect(ExecutionArgument.id(other) == nil, "\(other)")
        }
    }

    @Test("the end of an execution is the exit status of a waiting command")
    func ends() throws {
        let statuses =
            ["completed": 0, "failed": 1, "cancelled": 1, "interrupted": 1, "timedOut": 124] as [String: Int32]
        for (state, status) in statuses {
            #expect(WaitCommand.ending(of: ["state": .string(state)]).outcome.exitStatus == status, "\(state)")
        }
    }

    @Test("check prints what execute would do with the input")
    func check() {
        #expect(CheckCommand.sentence("a", ["disposition": "started"]) == "a would start")
        #expect(CheckCommand.sentence("a", ["disposition": "queued"]) == "a would wait for its turn")
        #expect(CheckCommand.sentence("a", ["disposition": "joined", "execution": "X"]) == "a would join X")
    }
}
