import JSONRPC
import RxJSON
import RxProtocol
import Testing

@Suite("An error of the protocol")
struct ErrorCodeTests {
    @Test("is found by its name and its number, which are its own", arguments: ErrorCode.allCases)
    func identity(code: ErrorCode) {
        #expect(ErrorCode(name: code.name) == code && ErrorCode(rawValue: code.rawValue) == code)
        #expect(code.name == "\(code)" && !code.meaning.isEmpty)
    }

    @Test("carries its name first, then its facts")
    func facts() {
        let error = RPCError(.limitReached) { $0.field("limit", "batch") }
        #expect(error.code == -32008 && error.data?.text == #"{"name":"limitReached","limit":"batch"}"#)
        #expect(error.errorCode == .limitReached)
    }

    @Test("of refused params lists every fault with its place")
    func refused() {
        let error = RPCError.refused([.init(path: "/a", message: "is no"), .init(path: "", message: "is odd")])
        #expect(error.code == -32602 && error.message == "/a: is no")
        #expect(
            error.data?.text
                == #"{"name":"invalidParams","errors":[{"path":"/a","message":"is no"},"#
                + #"{"path":"","message":"is odd"}]}"#
        )
    }
}
