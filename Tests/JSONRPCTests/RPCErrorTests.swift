import JSONRPC
import RxJSON
import Testing

struct RPCErrorTests {
    @Test(
        "the errors of the specification have its codes and messages, and their name",
        arguments: [
            (RPCError.parseError, -32700, "Parse error", "parseError"),
            (.invalidRequest, -32600, "Invalid Request", "invalidRequest"),
            (.methodNotFound, -32601, "Method not found", "methodNotFound"),
            (.invalidParams, -32602, "Invalid params", "invalidParams"),
            (.internalError, -32603, "Internal error", "internalError"),
        ])
    func standard(error: RPCError, code: Int, message: String, name: String) {
        #expect(error.code == code)
        #expect(error.message == message)
        #expect(error.data?.value() == ["name": .string(name)])
    }

    @Test("faults are reported with their paths")
    func faults() {
        let error = RPCError.invalidParams([.init(path: "/a~1b", message: "must be \"x\"")])
        #expect(
            error.data?.text
                == #"{"name":"invalidParams","errors":[{"path":"/a~1b","message":"must be \"x\""}]}"#)
    }
}
