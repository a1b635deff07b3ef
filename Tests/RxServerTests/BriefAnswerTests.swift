import Rx
import RxHost
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxServer

@Suite("The answer to a brief execution", .countedApart)
struct BriefAnswerTests {
    /// The same work in both ways: `brief` and `long`.
    private func definitions(_ element: String) -> [ActionDefinition] {
        ["brief", "long"].map { name in
            var definition = Builtin.echo.definition(name: name)
            definition.answer = { _ in .success(RawJSON(unchecked: Array(element.utf8))) }
            if name == "long" {
                definition.answer = nil
                definition.work = { _ in .just(RawJSON(unchecked: Array(element.utf8))) }
            }
            return definition
        }
    }

    private func results(_ element: String, _ limits: Limits = Limits()) async throws -> [JSONValue] {
        let server = try TestServer(definitions: definitions(element), limits: limits)
        let peer = server.connectInMemory()
        var results: [JSONValue] = []
        for name in ["brief", "long"] {
            peer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"\#(name)"}}"#)
            let result = try #require(try await peer.nextValue()["result"])
            results.append(["elements": result["elements"] ?? .null, "truncated": result["truncated"] ?? .null])
        }
        await server.stop()
        return results
    }

    @Test("is one line, however its work wrote the element, and the same as of any other")
    func oneLine() async throws {
        let found = try await results("{\n  \"a\": [1,\n 2]\n}")
        let expected: JSONValue = ["elements": [["a": [1, 2]]], "truncated": false]
        #expect(found == [expected, expected])
    }

    @Test("leaves out the elements beyond the limits of a reply")
    func limits() async throws {
        let expected: JSONValue = ["elements": [], "truncated": true]
        var none = Limits()
        none.elementsPerReply = 0
        #expect(try await results("1", none) == [expected, expected])
        var small = Limits()
        small.outboxBytes = 4096
        #expect(try await results("\"" + String(repeating: "x", count: 5000) + "\"", small) == [expected, expected])
    }
}
