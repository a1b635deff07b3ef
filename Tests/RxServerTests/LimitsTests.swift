import Glibc
import RxHost
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxServer

@Suite("Limits", .countedApart)
struct LimitsTests {
    @Test("one connection too many gets an error and is closed, and its place is free again later")
    func connections() async throws {
        var limits = Limits()
        limits.connections = 2
        let server = try TestServer(limits: limits)
        let path = try await server.listen()
        let first = try SocketPeer(path: path)
        first.send(#"{"jsonrpc":"2.0","id":1,"method":"server.hello"}"#)
        _ = try await first.nextValue()
        var second: SocketPeer? = try SocketPeer(path: path)
        second!.send(#"{"jsonrpc":"2.0","id":1,"method":"server.hello"}"#)
        _ = try await second!.nextValue()
        let third = try SocketPeer(path: path)
        let refusal = try await third.nextValue()
        #expect(refusal["error"]?["data"]?["name"] == "limitReached")
        #expect(refusal["error"]?["data"]?["limit"] == "connections")
        #expect(await third.nextLine() == nil && third.isAtEnd)
        second = nil
        #expect(await eventually { server.connectionCount == 1 })
        let fourth = try SocketPeer(path: path)
        fourth.send(#"{"jsonrpc":"2.0","id":4,"method":"server.hello"}"#)
        #expect(try await fourth.nextValue()["id"] == 4)
        await server.stop()
    }

    @Test("one user cannot take all connections")
    func connectionsPerUser() async throws {
        var limits = Limits()
        limits.connectionsPerUid = 1
        let server = try TestServer(limits: limits)
        let one = server.connectInMemory(uid: 10)
        one.send(#"{"jsonrpc":"2.0","id":1,"method":"server.hello"}"#)
        #expect(try await one.nextValue()["result"] != nil)
        let again = server.connectInMemory(uid: 10)
        #expect(try await again.nextValue()["error"]?["data"]?["limit"] == "connectionsPerUid")
        let other = server.connectInMemory(uid: 11)
        other.send(#"{"jsonrpc":"2.0","id":1,"method":"server.hello"}"#)
        #expect(try await other.nextValue()["result"] != nil)
        await server.stop()
    }

    @Test("one subscription too many is refused, whichever way it is opened")
    func subscriptions() async throws {
        var limits = Limits()
        limits.subscriptionsPerConnection = 1
        let server = try TestServer(limits: limits)
        let peer = server.connectInMemory()
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"a","action":"hold"}}"#)
        #expect(try await peer.nextValue()["result"] != nil)
        peer.send(#"{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"subscription":"b","action":"hold"}}"#)
        #expect(try await peer.nextValue()["error"]?["data"]?["limit"] == "subscriptionsPerConnection")
        peer.send(#"{"jsonrpc":"2.0","id":3,"method":"action.execute","params":{"action":"echo","stream":"c"}}"#)
        #expect(try await peer.nextValue()["error"]?["data"]?["limit"] == "subscriptionsPerConnection")
        await server.stop()
    }

    @Test("a line over the limit is one error, and the next line is answered")
    func lineBytes() async throws {
        var limits = Limits()
        limits.lineBytes = 4096
        let server = try TestServer(limits: limits)
        let path = try await server.listen()
        let peer = try SocketPeer(path: path)
        peer.send([UInt8](repeating: UInt8(ascii: "x"), count: 200_000) + [10])
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":1}}"#)
        let error = try await peer.nextValue()
        #expect(error["error"]?["code"] == -32021)
        #expect(error["error"]?["data"]?["value"] == 4096)
        #expect(try await peer.nextValue()["id"] == 1)
        await server.stop()
    }

    @Test("nesting 100,000 deep is one error and no stack")
    func depth() async throws {
        let server = try TestServer()
        let path = try await server.listen()
        let peer = try SocketPeer(path: path)
        peer.send(String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000))
        let error = try await peer.nextValue()
        #expect(error["error"]?["code"] == -32700)
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":1}}"#)
        #expect(try await peer.nextValue()["id"] == 1)
        await server.stop()
    }

    @Test("a client that never speaks and one that stops in mid-line delay nobody")
    func silence() async throws {
        let server = try TestServer()
        let path = try await server.listen()
        let silent = try SocketPeer(path: path)
        let half = try SocketPeer(path: path)
        half.send(Array(#"{"jsonrpc":"2.0","#.utf8))
        let peer = try SocketPeer(path: path)
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":1}}"#)
        #expect(try await peer.nextValue()["id"] == 1)
        #expect(silent.unread == [] && half.unread == [])
        await server.stop()
    }
}
