import JSONRPC
import RxJSON
import Testing

struct MessageWriterTests {
    @Test("responses")
    func responses() throws {
        let result = try RawJSON(validating: "{ \"a\":\n 1.0}")
        #expect(
            written { MessageWriter.response(RequestID(unchecked: "1.0"), result: result, into: &$0) }
                == #"{"jsonrpc":"2.0","id":1.0,"result":{"a":1.0}}"#)
        #expect(
            written { writer in
                MessageWriter.response(RequestID("x"), into: &writer) {
                    $0.array {
                        $0.int(1); $0.int(2)
                    }
                }
            } == #"{"jsonrpc":"2.0","id":"x","result":[1,2]}"#)
        #expect(
            written { MessageWriter.response(.null, result: .null, into: &$0) }
                == #"{"jsonrpc":"2.0","id":null,"result":null}"#)
    }

    @Test("errors, with and without data")
    func errors() {
        #expect(
            written { MessageWriter.error(.null, RPCError(code: -1, message: "a \"b\"\n"), into: &$0) }
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"a \"b\"\n"}}"#)
        #expect(
            written { MessageWriter.error(RequestID(1), .methodNotFound, into: &$0) }
                == #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found","#
                + #""data":{"name":"methodNotFound"}}}"#
        )
    }

    @Test("requests and notifications, with and without params")
    func calls() throws {
        let params = try RawJSON(validating: "[1]")
        #expect(
            written { MessageWriter.request(RequestID(1), "a\"b", into: &$0) }
                == #"{"jsonrpc":"2.0","id":1,"method":"a\"b"}"#)
        #expect(
            written { MessageWriter.request(RequestID(1), "m", params: params, into: &$0) }
                == #"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#)
        #expect(
            written { writer in
                MessageWriter.request(RequestID(1), "m", into: &writer) { $0.object { $0.field("a", 1) } }
            } == #"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}"#)
        #expect(written { MessageWriter.notification("m", into: &$0) } == #"{"jsonrpc":"2.0","method":"m"}"#)
        #expect(
            written { MessageWriter.notification("m", params: params, into: &$0) }
                == #"{"jsonrpc":"2.0","method":"m","params":[1]}"#)
        #expect(
            written { writer in
                MessageWriter.notification("event", into: &writer) { $0.object { $0.field("seq", 1) } }
            } == #"{"jsonrpc":"2.0","method":"event","params":{"seq":1}}"#)
    }

    @Test("a batch of messages is one array on one line")
    func batch() {
        let text = written { writer in
            MessageWriter.batch(into: &writer) {
                MessageWriter.response(RequestID(1), result: .true, into: &$0)
                MessageWriter.error(RequestID(2), RPCError(code: 5, message: "no"), into: &$0)
                MessageWriter.notification("n", into: &$0)
                MessageWriter.request(RequestID(3), "r", into: &$0)
            }
        }
        #expect(
            text
                == #"[{"jsonrpc":"2.0","id":1,"result":true},"#
                + #"{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"no"}},"#
                + #"{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":3,"method":"r"}]"#)
    }

    @Test("what is written is read as what was meant")
    func roundTrip() {
        #expect(outcome(written { MessageWriter.request(RequestID("é"), "m", into: &$0) }) == #"request "é" m"#)
        #expect(
            outcome(written { MessageWriter.notification("m", params: .emptyArray, into: &$0) }) == "notification m []")
        #expect(
            outcome(written { MessageWriter.response(RequestID(1), result: .null, into: &$0) }) == "response 1 null")
        let error = RPCError.invalidParams([.init(path: "/a", message: "no")])
        #expect(outcome(written { MessageWriter.error(RequestID(1), error, into: &$0) }) == "failure 1 -32602 @/a")
        #expect(outcome(written { MessageWriter.error(.null, .parseError, into: &$0) }) == "failure unknown -32700")
    }
}
