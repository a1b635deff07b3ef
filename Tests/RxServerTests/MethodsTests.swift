import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxServer

@Suite("The methods", .countedApart)
struct MethodsTests {
    @Test("are those that rpc.discover tells")
    func described() {
        #expect(Set(Session.handlers.keys) == Set(MethodDescription.all.map(\.name)))
    }

    @Test("are described with every parameter they know, and no other", arguments: MethodDescription.all.map(\.name))
    func parameters(_ name: String) async throws {
        let server = try TestServer(owner: 1)
        let peer = server.connectInMemory(uid: 0)
        let method = try #require(MethodDescription.all.first { $0.name == name })
        // A known parameter of a wrong type is a fault of its own; only an unknown one is "no such parameter".
        for parameter in method.parameters.map(\.name) + ["surely unknown"] {
            peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(name)","params":{"\#(parameter)":{"x":[]}}}"#)
            let reply = try await peer.nextValue()
            let messages = reply["error"]?["data"]?["errors"]?.array?.compactMap { $0["message"]?.string } ?? []
            #expect(messages.contains("no such parameter") == (parameter == "surely unknown"), "\(parameter)")
        }
        await server.stop()
    }

    @Test("are an OpenRPC document with what its meta-schema requires")
    func document() async throws {
        let server = try TestServer()
        let peer = server.connectInMemory()
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#)
        let document = try #require(try await peer.nextValue()["result"])
        #expect(document["openrpc"]?.string?.hasPrefix("1.") == true)
        #expect(document["info"]?["title"]?.string != nil && document["info"]?["version"]?.string != nil)
        let methods = try #require(document["methods"]?.array)
        #expect(methods.count == MethodDescription.all.count)
        for method in methods {
            #expect(method["name"]?.string != nil)
            #expect(method["result"]?["name"]?.string != nil && method["result"]?["schema"] != nil)
            for parameter in try #require(method["params"]?.array) {
                #expect(parameter["name"]?.string != nil && parameter["schema"] != nil)
            }
        }
        await server.stop()
    }
}
