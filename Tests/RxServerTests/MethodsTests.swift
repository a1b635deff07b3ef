import RxAction
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxServer

@Suite("The methods", .countedApart)
struct MethodsTests {
    @Test("know their most frequent name without building it")
    func name() {
        #expect("\(Method.actionExecuteName)" == Method.actionExecute.rawValue)
        #expect("\(Method.reactorDispatchName)" == Method.reactorDispatch.rawValue)
    }

    @Test("are described with every parameter they know, and no other", arguments: Method.allCases)
    func parameters(_ method: Method) async throws {
        let server = try TestServer(owner: 1)
        let peer = server.connectInMemory(uid: 0)
        // A known parameter of a wrong type is a fault of its own; only an unknown one is "no such parameter".
        for parameter in method.contract.parameters.map({ "\($0.name)" }) + ["surely unknown"] {
            peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method.rawValue)","params":{"\#(parameter)":{"x":[]}}}"#)
            let reply = try await peer.nextValue()
            let messages = reply["error"]?["data"]?["errors"]?.array?.compactMap { $0["message"]?.string } ?? []
            #expect(messages.contains("no such parameter") == (parameter == "surely unknown"), "\(parameter)")
        }
        await server.stop()
    }

    @Test("know each kind of overlap by its word")
    func overlaps() throws {
        let action = try #require(OpenRPC.document["components"]?["schemas"]?["Action"]?["properties"])
        let words = try #require(action["overlap"]?["enum"]?.array).compactMap(\.string)
        #expect(words == Overlap.Kind.allCases.map(\.rawValue))
    }

    @Test("are described by rpc.discover")
    func document() async throws {
        let server = try TestServer()
        let peer = server.connectInMemory()
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#)
        #expect(try await peer.nextValue()["result"] == OpenRPC.document)
        await server.stop()
    }
}
