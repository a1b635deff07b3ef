import JSONRPC
import RxJSON
import Testing

struct BatchTests {
    private func batch(_ messages: [String]) -> String { "[\(messages.joined(separator: ","))]" }

    @Test("each message of a batch stands for itself, valid or not")
    func mixed() {
        let text = batch([
            #"{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"}"#,
            #"{"jsonrpc":"2.0","method":"hello","params":[7]}"#,
            #"{"foo":"boo"}"#,
            #"{"jsonrpc":"2.0","method":"get","params":{"name":"x"},"id":"5"}"#,
            #"{"jsonrpc":"2.0","result":1,"id":2}"#,
            "1",
            #"[{"jsonrpc":"2.0","method":"nested"}]"#,
        ])
        let expected = [
            #"request "1" sum [1,2,4]"#, "notification hello [7]", "invalid null -32600 @/jsonrpc",
            #"request "5" get {"name":"x"}"#, "response 2 1", "invalid null -32600 @", "invalid null -32600 @",
        ]
        #expect(outcome(text) == "batch [\(expected.joined(separator: "; "))]")
    }

    @Test("a batch of anything but objects is a batch of faults")
    func faults() {
        #expect(outcome("[1]") == "batch [invalid null -32600 @]")
        #expect(outcome("[1,2,3]") == "batch [invalid null -32600 @; invalid null -32600 @; invalid null -32600 @]")
        #expect(outcome("[[]]") == "batch [invalid null -32600 @]")
    }

    @Test("an empty batch is one fault")
    func empty() {
        #expect(outcome("[]") == "invalid null -32600 @")
        #expect(outcome(" [ ] ") == "invalid null -32600 @")
    }

    @Test("a batch as long as the limit is read, a longer one is one fault")
    func limit() {
        let message = #"{"jsonrpc":"2.0","method":"m"}"#
        #expect(
            outcome(batch([message, message]), batch: 2) == "batch [notification m; notification m]")
        #expect(outcome(batch([message, message, message]), batch: 2) == "invalid null -32600 @")
        let longest = batch([String](repeating: message, count: 64))
        #expect(outcome(longest).hasPrefix("batch [notification m; "))
        #expect(outcome(batch([String](repeating: message, count: 65))) == "invalid null -32600 @")
        #expect(outcome(batch([String](repeating: "1", count: 400_000))) == "invalid null -32600 @")
    }

    @Test("a number out of range spoils its own message only")
    func numbersOutOfRange() {
        let text = batch([
            #"{"jsonrpc":"2.0","method":"a","params":{"n":1},"id":1}"#,
            #"{"jsonrpc":"2.0","method":"b","params":{"n":1e400},"id":2}"#,
            #"{"jsonrpc":"2.0","method":"c","params":[{"n":-9223372036854775809}],"id":3}"#,
            #"{"jsonrpc":"2.0","method":"d","params":[1e400]}"#,
            "1e400",
        ])
        let expected = [
            #"request 1 a {"n":1}"#, "invalid 2 -32602 @/n", "invalid 3 -32602 @/0/n", "ignored -32602 @/0",
            "invalid null -32600 @",
        ]
        #expect(outcome(text) == "batch [\(expected.joined(separator: "; "))]")
    }
}
