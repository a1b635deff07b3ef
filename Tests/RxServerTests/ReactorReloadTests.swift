import RxRecords
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxServer

@Suite("Reactors that come by a reload", .countedApart)
struct ReactorReloadTests {
    @Test("are in a subscription to all, with patches for as long as somebody wants them")
    func patched() async throws {
        let server = try TestServer()
        let peer = server.connectInMemory(Someone.root.peer)
        peer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"reactor":"*","patch":true,"subscription":"all"}}"#
        )
        #expect(try await peer.nextValue()["result"]?["snapshot"]?["reactors"]?.object?.count == 2)
        server.host.reload(TestServer.definitions, reactors: TestServer.reactors + [TestServer.lamp("third")])
        let first = try await peer.nextValue()["params"]
        #expect(first?["reactor"] == "third" && first?["channel"] == "state" && first?["patch"] == nil)
        #expect(first?["value"]?["revision"] == 0 && first?["value"]?["state"]?["on"] == false)
        func switched(_ action: String, _ subscription: String) async throws -> JSONValue? {
            peer.send(
                #"{"jsonrpc":"2.0","id":2,"method":"reactor.dispatch","#
                    + #""params":{"reactor":"third","action":"\#(action)"}}"#
            )
            var event: JSONValue?
            for _ in 0..<2 {
                let line = try await peer.nextValue()
                if line["params"]?["channel"] == "state" { event = line["params"] }
            }
            #expect(event?["reactor"] == "third" && event?["subscription"]?.string == subscription)
            return event
        }
        #expect(try await switched("on", "all")?["patch"] != nil)
        #expect(try await switched("off", "all")?["patch"] != nil)
        peer.send(#"{"jsonrpc":"2.0","id":3,"method":"unsubscribe","params":{"subscription":"all"}}"#)
        _ = (try await peer.nextValue(), try await peer.nextValue())
        peer.send(
            #"{"jsonrpc":"2.0","id":4,"method":"subscribe","#
                + #""params":{"reactor":"third","patch":true,"subscription":"one"}}"#
        )
        #expect(try await peer.nextValue()["result"]?["snapshot"]?["reactors"]?["third"]?["revision"] == 2)
        #expect(try await switched("on", "one")?["patch"] != nil)
        await server.stop()
    }

    @Test("with another definition send the whole state, at its own revision")
    func replaced() async throws {
        let server = try TestServer()
        let peer = server.connectInMemory(Someone.root.peer)
        peer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"reactor":"lamp","patch":true,"subscription":"one"}}"#
        )
        #expect(try await peer.nextValue()["result"]?["snapshot"]?["reactors"]?["lamp"]?["revision"] == 0)
        var other = TestServer.lamp("lamp")
        other.fingerprint = "another lamp"
        server.host.reload(TestServer.definitions, reactors: [other])
        let event = try await peer.nextValue()["params"]
        #expect(event?["channel"] == "state" && event?["patch"] == nil)
        #expect(event?["value"]?["revision"] == 1 && event?["value"]?["state"]?["on"] == false)
        await server.stop()
    }

    @Test("with other rights end subscriptions that these do not allow before the first state of the new definition")
    func revoked() async throws {
        let server = try TestServer(owner: Someone.ownerID)
        let (member, root) = (
            server.connectInMemory(Someone.member.peer), server.connectInMemory(Someone.root.peer)
        )
        for peer in [member, root] {
            peer.send(#"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"reactor":"lamp","subscription":"s"}}"#)
            #expect(try await peer.nextValue()["result"] != nil)
        }
        var other = TestServer.lamp("lamp", access: Access(execute: .everyone, subscribe: .nobody, manage: .nobody))
        other.fingerprint = "another lamp"
        server.host.reload(TestServer.definitions, reactors: [other])
        #expect(try await root.nextValue()["params"]?["value"]?["revision"] == 1)
        let end = try await member.nextValue()["params"]
        #expect(end?["channel"] == "end" && end?["value"]?["reason"] == "revoked")
        await server.stop()
    }

    @Test("that cannot be started have no state; subscribers get the reason")
    func failed() async throws {
        let server = try TestServer()
        let broken = ReactorDefinition(name: "broken", kind: "test", fingerprint: "broken", makeEngine: { Broken() })
        server.host.reload(TestServer.definitions, reactors: [broken])
        let peer = server.connectInMemory(Someone.root.peer)
        for (method, more) in [("reactor.state", ""), ("subscribe", #","subscription":"s""#)] {
            peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"reactor":"broken"\#(more)}}"#)
            let error = try await peer.nextValue()["error"]
            #expect(error?["code"] == -32001 && error?["message"] == "no state of mine")
            #expect(error?["data"]?["reactor"] == "broken" && error?["data"]?["stage"] == "restore")
        }
        await server.stop()
    }
}

/// Cannot be started.
private final class Broken: ReactorEngine {
    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        throw ReactorFault(.restore, "no state of mine")
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) { completion(nil) }
    func replay(_ mutation: RawJSON) throws(ReactorFault) {}
    func stop(completion: @escaping @Sendable () -> Void) { completion() }
}
