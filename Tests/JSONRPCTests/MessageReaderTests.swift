import JSONRPC
import RxJSON
import Testing

struct MessageReaderTests {
    @Test(
        "a call is a request with its id, or a notification without",
        arguments: [
            (#"{"jsonrpc":"2.0","method":"minus","params":[42,23],"id":1}"#, "request 1 minus [42,23]"),
            (#"{"jsonrpc":"2.0","method":"minus","params":{"b":1, "a":2},"id":3}"#, #"request 3 minus {"b":1, "a":2}"#),
            (#"{"id":"x","method":"m","jsonrpc":"2.0"}"#, #"request "x" m"#),
            (#"{"jsonrpc":"2.0","method":"m","params":[]}"#, "notification m []"),
            (#" { "jsonrpc" : "2.0" , "method" : "m" } "#, "notification m"),
            (#"{"jsonrpc":"2.0","method":"m","id":null}"#, "request null m"),
            (#"{"jsonrpc":"\u0032.0","m\u0065thod":"\u006d","\u0069d":5}"#, "request 5 m"),
            (#"{"jsonrpc":"2.0","method":"","id":1}"#, "request 1 "),
            (#"{"jsonrpc":"2.0","method":"m","id":1,"unknown":{"id":2},"trace":[1]}"#, "request 1 m"),
            (#"{"jsonrpc":"1.0","id":1,"method":"a","method":"b","id":2,"jsonrpc":"2.0"}"#, "request 2 b"),
        ])
    func requests(text: String, expected: String) {
        #expect(outcome(text) == expected)
    }

    @Test(
        "an id is kept byte for byte",
        arguments: [
            "1", "0", "-0", "1.0", "1e2", "1E+2", "0.10", "18446744073709551615", "\"\"", "\"a b\"", #""\u0041""#,
            #""\"\\\/""#, "\"é\"", "null", "\"0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b\"",
        ])
    func ids(id: String) {
        #expect(outcome(#"{"jsonrpc":"2.0","method":"m","id":\#(id)}"#) == "request \(id) m")
        #expect(outcome(#"{"jsonrpc":"2.0","id": \#(id) ,"result":0}"#) == "response \(id) 0")
        #expect(outcome(#"{"jsonrpc":"2.0","id":\#(id)}"#) == "invalid \(id) -32600 @/method")
    }

    @Test("an id of more bytes than are kept is refused, also in a response")
    func longID() {
        let most = String(repeating: "x", count: RequestID.mostBytes - 2)
        #expect(outcome(#"{"jsonrpc":"2.0","method":"m","id":"\#(most)"}"#) == "request \"\(most)\" m")
        #expect(outcome(#"{"jsonrpc":"2.0","method":"m","id":"\#(most)x"}"#) == "invalid null -32600 @/id")
        #expect(outcome(#"{"jsonrpc":"2.0","result":1,"id":"\#(most)x"}"#) == "invalid null -32600 @/id")
    }

    @Test(
        "what is no message is an invalid request, with the id if there is a usable one",
        arguments: [
            ("1", "invalid null -32600 @"), ("null", "invalid null -32600 @"), (#""m""#, "invalid null -32600 @"),
            ("{}", "invalid null -32600 @/jsonrpc"),
            (#"{"method":"m","id":1}"#, "invalid 1 -32600 @/jsonrpc"),
            (#"{"jsonrpc":"1.0","method":"m","id":1}"#, "invalid 1 -32600 @/jsonrpc"),
            (#"{"jsonrpc":2.0,"method":"m","id":1}"#, "invalid 1 -32600 @/jsonrpc"),
            (#"{"jsonrpc":"2","method":"m","id":1}"#, "invalid 1 -32600 @/jsonrpc"),
            (#"{"jsonrpc":"2.0\u0000","method":"m","id":1}"#, "invalid 1 -32600 @/jsonrpc"),
            (#"{"jsonrpc":"2.0","id":"7"}"#, #"invalid "7" -32600 @/method"#),
            (#"{"jsonrpc":"2.0"}"#, "invalid null -32600 @/method"),
            (#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, "invalid null -32600 @/method"),
            (#"{"jsonrpc":"2.0","method":null,"id":9}"#, "invalid 9 -32600 @/method"),
            (#"{"jsonrpc":"2.0","method":["m"],"id":9}"#, "invalid 9 -32600 @/method"),
            (#"{"jsonrpc":"2.0","method":"m","params":1,"id":9}"#, "invalid 9 -32600 @/params"),
            (#"{"jsonrpc":"2.0","method":"m","params":null,"id":9}"#, "invalid 9 -32600 @/params"),
            (#"{"jsonrpc":"2.0","method":"m","params":"x"}"#, "invalid null -32600 @/params"),
            (#"{"jsonrpc":"2.0","method":"m","id":{"a":1}}"#, "invalid null -32600 @/id"),
            (#"{"jsonrpc":"2.0","method":"m","id":[1]}"#, "invalid null -32600 @/id"),
            (#"{"jsonrpc":"2.0","method":"m","id":true}"#, "invalid null -32600 @/id"),
            (#"{"jsonrpc":"2.0","method":"m","result":1,"id":2}"#, "invalid 2 -32600 @/method"),
            (#"{"jsonrpc":"2.0","method":"m","error":{},"id":2}"#, "invalid 2 -32600 @/method"),
        ])
    func invalidRequests(text: String, expected: String) {
        #expect(outcome(text) == expected)
    }

    @Test(
        "what is no JSON is a parse error with the fault and its place",
        arguments: [
            (#"{"jsonrpc":"2.0","method":"foobar,"params":"bar","baz]"#, "syntax 35"), ("", "empty"), ("  ", "empty"),
            ("GET / HTTP/1.1", "syntax 0"), (#"{"jsonrpc":"2.0","id":1,"method":"m"}}"#, "syntax 37"),
            (#"{"jsonrpc":"2.0","id":1,"method":"m""#, "syntax 36"), ("{\"a\":\"\u{0}\"}", "syntax 6"),
            (#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, "syntax 34"), ("\u{FEFF}{}", "syntax 0"),
            (#"[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","method"]"#, "syntax 64"),
        ])
    func parseErrors(text: String, facts: String) {
        #expect(outcome(text) == "invalid null -32700 \(facts)")
    }

    @Test("bytes that are not UTF-8, too many bytes and too many levels are parse errors by name")
    func limits() {
        #expect(outcome([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) == "invalid null -32700 encoding 2")
        let message = #"{"jsonrpc":"2.0","id":1,"method":"m","params":[[1]]}"#
        let count = message.utf8.count
        #expect(outcome(message, limits: JSONLimits(bytes: count)) == "request 1 m [[1]]")
        #expect(outcome(message, limits: JSONLimits(bytes: count - 1)) == "invalid null -32700 size")
        #expect(outcome(message, limits: JSONLimits(depth: 3)) == "request 1 m [[1]]")
        #expect(outcome(message, limits: JSONLimits(depth: 2)).hasPrefix("invalid null -32700 depth"))
        #expect(outcome(String(repeating: "[", count: 100_000)).hasPrefix("invalid null -32700 depth"))
    }

    @Test(
        "the answer to a call is a response or a failure",
        arguments: [
            (#"{"jsonrpc":"2.0","result":19,"id":1}"#, "response 1 19"),
            (#"{"jsonrpc":"2.0","result":null,"id":1}"#, "response 1 null"),
            (#"{"jsonrpc":"2.0","result":{"a":[ ]},"id":"q"}"#, #"response "q" {"a":[ ]}"#),
            (#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"},"id":"1"}"#, #"failure "1" -32601"#),
            (#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"},"id":null}"#, "failure unknown -32700"),
            (
                #"{"jsonrpc":"2.0","error":{"code":-1,"message":"no","data":{"errors":[{"path":"/a"}]}},"id":1}"#,
                "failure 1 -1 @/a"
            ),
            (#"{"jsonrpc":"2.0","result":19}"#, "invalid null -32600 @/id"),
            (#"{"jsonrpc":"2.0","error":{"code":1,"message":"no"}}"#, "invalid null -32600 @/id"),
            (#"{"jsonrpc":"2.0","result":1,"error":{"code":1,"message":"no"},"id":1}"#, "invalid 1 -32600 @/error"),
            (#"{"jsonrpc":"2.0","error":null,"id":1}"#, "invalid 1 -32600 @/error"),
            (#"{"jsonrpc":"2.0","error":{"message":"no"},"id":1}"#, "invalid 1 -32600 @/error"),
            (#"{"jsonrpc":"2.0","error":{"code":"1","message":"no"},"id":1}"#, "invalid 1 -32600 @/error"),
            (#"{"jsonrpc":"2.0","error":{"code":1.5,"message":"no"},"id":1}"#, "invalid 1 -32600 @/error"),
            (#"{"jsonrpc":"2.0","error":{"code":1},"id":1}"#, "invalid 1 -32600 @/error"),
            (#"{"result":19,"id":1}"#, "invalid 1 -32600 @/jsonrpc"),
        ])
    func responses(text: String, expected: String) {
        #expect(outcome(text) == expected)
    }

    @Test(
        "a number out of range in params is invalid params, by its path in them; elsewhere an invalid request",
        arguments: [
            (
                #"{"jsonrpc":"2.0","id":1.0,"method":"m","params":{"input":{"a":[1,1e400]}}}"#,
                "invalid 1.0 -32602 @/input/a/1"
            ),
            (
                #"{"jsonrpc":"2.0","params":[1e400,{"k":18446744073709551616}],"method":"m","id":"\u0041"}"#,
                #"invalid "\u0041" -32602 @/0 @/1/k"#
            ),
            (#"{"jsonrpc":"2.0","method":"m","params":[1e400]}"#, "ignored -32602 @/0"),
            (#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"m"}"#, "invalid 18446744073709551616 -32600 @/id"),
            (#"{"jsonrpc":"2.0","id":1,"method":"m","extra":1e400}"#, "invalid 1 -32600 @/extra"),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"m","params":[1e400],"extra":1e400}"#,
                "invalid 1 -32600 @/params/0 @/extra"
            ),
            (#"{"jsonrpc":"2.0","id":1,"params":[1e400]}"#, "invalid 1 -32600 @/params/0"),
            (#"{"jsonrpc":"1.0","id":1,"method":"m","params":[1e400]}"#, "invalid 1 -32600 @/jsonrpc"),
            (#"{"jsonrpc":"2.0","id":[1],"method":"m","params":[1e400]}"#, "invalid null -32600 @/id"),
            (#"{"jsonrpc":"2.0","id":1,"result":[1e400]}"#, "invalid 1 -32600 @/result/0"),
            ("1e400", "invalid null -32600 @"),
            (#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1e400,}"#, "invalid null -32700 syntax 53"),
        ])
    func numbersOutOfRange(text: String, expected: String) {
        #expect(outcome(text) == expected)
    }

    @Test("an error names no more than eight numbers out of range")
    func manyNumbersOutOfRange() {
        let numbers = [String](repeating: "1e400", count: 1000).joined(separator: ",")
        let expected = (0..<8).map { " @/\($0)" }.joined()
        #expect(
            outcome(#"{"jsonrpc":"2.0","id":1,"method":"m","params":[\#(numbers)]}"#) == "invalid 1 -32602\(expected)")
    }

    @Test("the params of a request can be looked into")
    func params() throws {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":{"a":1}}}"#
        let padded = Array(text.utf8) + [UInt8](repeating: 0, count: JSONReader.padding)
        try padded.withUnsafeBytes { buffer in
            let reader = MessageReader()
            defer { withExtendedLifetime(reader) {} }
            let message = reader.read(UnsafeRawBufferPointer(rebasing: buffer.dropLast(JSONReader.padding)))
            guard case .request(let request) = message else { throw RPCError.invalidRequest }
            #expect(request.method == "action.execute")
            #expect(request.params?["action"]?.string == "echo")
            #expect(request.params?["input"]?.rawJSON.text == #"{"a":1}"#)
        }
    }
}
