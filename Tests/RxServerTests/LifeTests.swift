import RxRecords
import Rx
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxServer

@Suite("A server's life", .countedApart)
struct LifeTests {
    @Test("a client that vanishes is noticed without an event, and its requests end")
    func vanishing() async throws {
        let server = try TestServer()
        let path = try await server.listen()
        var client: SocketPeer? = try SocketPeer(path: path)
        client!.send(
            #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"hold","onDisconnect":"cancel"}}"#)
        client!.send(#"{"jsonrpc":"2.0","id":2,"method":"server.hello"}"#)
        _ = try await client!.nextValue()
        #expect(server.host.log.inFlight.count == 1)
        client = nil
        #expect(await eventually { server.host.log.inFlight.isEmpty })
        #expect(server.host.log.executions().last?.state == .cancelled)
        await server.stop()
    }

    @Test("a detached execution outlives its client")
    func detached() async throws {
        let server = try TestServer()
        let path = try await server.listen()
        var client: SocketPeer? = try SocketPeer(path: path)
        client!.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"hold","stream":"x"}}"#)
        _ = try await client!.nextValue()
        client = nil
        #expect(await eventually { server.connectionCount == 0 })
        #expect(server.host.log.inFlight.count == 1)
        await server.stop()
    }

    @Test("the events of an execution are kept no longer than its stream", arguments: [true, false])
    func unwatched(byLeaving: Bool) async throws {
        let work = PublishSubject<RawJSON>()
        let server = try TestServer(
            definitions: [
                ActionDefinition(name: "puppet", kind: "test", scheduler: .inline, fingerprint: "") { _ in
                    work.asObservable()
                }
            ])
        let path = try await server.listen()
        var client: SocketPeer? = try SocketPeer(path: path)
        client!.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"puppet","stream":"x"}}"#)
        _ = try await client!.nextValue()
        work.onNext(.null)
        #expect(try await client!.nextValue()["params"]?["channel"] == "elements")
        if byLeaving {
            client = nil
            #expect(await eventually { server.connectionCount == 0 })
        } else {
            client!.send(#"{"jsonrpc":"2.0","id":2,"method":"unsubscribe","params":{"subscription":"x"}}"#)
            _ = try await client!.nextValue()
        }
        // On the loop, so that the server cannot take it in between.
        let kept = await server.onLoop {
            server.server.delivery.deliverAll()
            work.onNext(.null)
            return server.host.log.drain().events.count
        }
        #expect(kept == 0)
        #expect(server.host.log.executions().last?.elements == 2)
        work.onCompleted()
        await server.stop()
    }

    @Test("stopping ends every subscription, responds to pending requests, and closes")
    func stopping() async throws {
        let server = try TestServer()
        let path = try await server.listen()
        let reader = try SocketPeer(path: path)
        reader.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"s","action":"hold","channels":["enabled"]}}"#
        )
        _ = try await reader.nextValue()
        let requester = try SocketPeer(path: path)
        requester.send(#"{"jsonrpc":"2.0","id":2,"method":"action.execute","params":{"action":"hold"}}"#)
        #expect(try await reader.nextValue()["params"]?["value"]?["reason"]?["cause"] == "executing")
        await server.stop()
        #expect(try await requester.nextValue()["error"]?["data"]?["name"] == "cancelled")
        #expect(await requester.nextLine() == nil && requester.isAtEnd)
        #expect(try await reader.nextValue()["params"]?["value"]?["reason"]?["cause"] == "stopping")
        #expect(try await reader.nextValue()["params"]?["value"]?["reason"] == "shutdown")
        #expect(await reader.nextLine() == nil && reader.isAtEnd)
    }

    @Test("an action that is no longer configured ends the subscriptions that had nothing else")
    func removal() async throws {
        let server = try TestServer()
        let peer = server.connectInMemory()
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"one","action":"fail"}}"#)
        peer.send(
            #"{"jsonrpc":"2.0","id":2,"method":"subscribe","#
                + #""params":{"subscription":"two","action":["fail","echo"],"channels":["elements"]}}"#
        )
        _ = try await peer.nextValue()
        _ = try await peer.nextValue()
        server.host.reload([Builtin.echo.definition(name: "echo")])
        let end = try #require(try await peer.nextValue()["params"])
        #expect(end["subscription"] == "one" && end["value"]?["reason"] == "removed")
        peer.send(#"{"jsonrpc":"2.0","id":3,"method":"action.execute","params":{"action":"echo","input":1}}"#)
        #expect(try await peer.nextValue()["id"] == 3)
        #expect(try await peer.nextValue()["params"]?["subscription"] == "two")
        await server.stop()
    }

    @Test("managing is for the owner and root")
    func rights() async throws {
        let server = try TestServer(owner: 4000)
        let stranger = server.connectInMemory(uid: 4001)
        stranger.send(#"{"jsonrpc":"2.0","id":1,"method":"server.reload"}"#)
        let error = try await stranger.nextValue()["error"]
        #expect(error?["data"]?["name"] == "forbidden" && error?["data"]?["uid"] == 4001)
        for uid in [0, 4000] as [UInt32] {
            let manager = server.connectInMemory(uid: uid)
            manager.send(#"{"jsonrpc":"2.0","id":1,"method":"server.reload"}"#)
            #expect(try await manager.nextValue()["error"]?["data"]?["name"] == "featureMissing")
        }
        await server.stop()
    }

    @Test("switching is for the daemon's user and root; others are refused, and nothing has changed")
    func switching() async throws {
        let server = try TestServer(owner: 4000)
        let stranger = server.connectInMemory(uid: 4001)
        let owner = server.connectInMemory(uid: 4000)
        for (method, action) in [("disable", "echo"), ("enable", "echo"), ("disable", "hold")] {
            stranger.send(#"{"jsonrpc":"2.0","id":1,"method":"action.\#(method)","params":{"action":"\#(action)"}}"#)
            let error = try await stranger.nextValue()["error"]
            #expect(error?["code"] == -32007)
            #expect(error?["data"]?["name"] == "forbidden" && error?["data"]?["uid"] == 4001)
        }
        stranger.send(#"{"jsonrpc":"2.0","id":2,"method":"action.execute","params":{"action":"echo","input":1}}"#)
        #expect(try await stranger.nextValue()["result"]?["elements"] == [1])
        owner.send(#"{"jsonrpc":"2.0","id":1,"method":"action.disable","params":{"action":"echo"}}"#)
        #expect(try await owner.nextValue()["result"]?["enabled"] == false)
        stranger.send(#"{"jsonrpc":"2.0","id":3,"method":"action.execute","params":{"action":"echo","input":1}}"#)
        let refused = try await stranger.nextValue()["error"]
        #expect(refused?["data"]?["reason"]?["by"]?["uid"] == 4000)
        await server.stop()
    }
}
