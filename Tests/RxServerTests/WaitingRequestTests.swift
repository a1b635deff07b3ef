import Glibc
import Rx
import RxAction
import RxHost
import RxJSON
import RxLoop
import RxProtocol
import RxRecords
import TestSupport
import Testing

@testable import RxServer

/// Requests that wait as they came, and what a user has the server keep.
@Suite("A request that waits for room", .ownThreads)
struct WaitingRequestTests {
    private static let limitBytes = 1 << 20

    private static func limits() -> Limits {
        var limits = Limits()
        limits.bytesPerUid = limitBytes
        return limits
    }

    private static func request(_ id: Int, _ method: String, _ params: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
    }

    private static func echo(_ id: Int, _ bytes: Int) -> String {
        let payload = String(repeating: "x", count: bytes)
        return request(id, "action.execute", #"{"action":"echo","input":"\#(payload)"}"#)
    }

    /// Leaves more than the limit unread on a connection of its own.
    private static func fill(_ server: TestServer, _ credentials: Peer) async -> MemoryPeer {
        let slow = server.connectInMemory(credentials)
        slow.stall()
        for id in 1...3 { await server.onLoop { slow.receiveNow(echo(id, 390_000)) } }
        #expect(await server.account(credentials.uid) { $0.isOverLimit })
        return slow
    }

    private static let someone = Peer(uid: 1000, gid: 1000, pid: 4242, groups: [])

    @Test("with a long line or a batch is carried out when there is room; a short one does not wait")
    func held() async throws {
        let server = try TestServer(limits: Self.limits())
        let slow = await Self.fill(server, Self.someone)
        let peers = (0..<10).map { _ in server.connectInMemory(Self.someone) }
        for (index, peer) in peers.enumerated() {
            peer.send(index % 2 == 0 ? Self.echo(1, 100_000) : "[" + Self.request(1, "server.status") + "]")
            peer.send(Self.request(2, "server.status"))
        }
        #expect(await eventually { server.waiting(1000) == peers.count })
        #expect(peers.allSatisfy { $0.unread.isEmpty }, "nothing overtakes what its own connection sent before")
        let short = server.connectInMemory(Self.someone)
        short.send(Self.echo(1, 100))
        #expect(try await short.nextValue()["result"] != nil)
        slow.resume()
        for (index, peer) in peers.enumerated() {
            let answer = try await peer.nextValue()
            let first = index % 2 == 0 ? answer : answer.array?.first
            #expect(first?["id"] == 1 && first?["result"] != nil)
            #expect(try await peer.nextValue()["id"] == 2)
        }
        await server.stop()
    }

    @Test("is refused by name, each request of a batch with its id, without an effect")
    func refused() async throws {
        let effects = Locked(0)
        let effect = ActionDefinition(name: "effect", kind: "test", scheduler: .inline, fingerprint: "effect") { _ in
            effects.withLock { $0 += 1 }
            return .empty()
        }
        let server = try TestServer(
            definitions: [effect, Builtin.echo.definition(name: "echo")], limits: Self.limits(),
            patience: .milliseconds(20))
        let slow = await Self.fill(server, Self.someone)
        let peer = server.connectInMemory(Self.someone)
        peer.send(Self.echo(1, 100_000))
        let error = try await peer.nextValue()
        #expect(error["id"] == 1 && error["error"]?["data"]?["limit"] == "bytesPerUid")
        let requests = (2...9).map { Self.request($0, "action.execute", #"{"action":"effect"}"#) }
        let notification = #"{"jsonrpc":"2.0","method":"action.execute","params":{"action":"effect"}}"#
        peer.send("[" + (requests + [notification]).joined(separator: ",") + "]")
        let batch = try #require(try await peer.nextValue().array)
        #expect(batch.compactMap { $0["id"]?.int } == Array(2...9))
        #expect(batch.allSatisfy { $0["error"]?["data"]?["limit"] == "bytesPerUid" })
        #expect(effects.withLock { $0 } == 0)
        slow.resume()
        await server.stop()
    }

    @Test("is authorized when it is carried out")
    func authorized() async throws {
        let member = Someone.member.peer
        let server = try TestServer(limits: Self.limits(), owner: Someone.ownerID)
        let slow = await Self.fill(server, member)
        let requests = [
            ("reactor.state", #"{"reactor":"lamp","path":"/notes"}"#),
            ("reactor.history", #"{"reactor":"lamp"}"#),
            ("execution.list", #"{"action":"hold"}"#),
        ]
        let peers = requests.map { method, params in
            let peer = server.connectInMemory(member)
            peer.send(Self.request(1, method, params))
            return peer
        }
        #expect(await eventually { server.waiting(member.uid) == requests.count })
        let nobody = Access(execute: .nobody, subscribe: .nobody, manage: .nobody)
        let definitions = TestServer.definitions.map { definition in
            var definition = definition
            if definition.name == "hold" { (definition.access, definition.fingerprint) = (nobody, "another hold") }
            return definition
        }
        var lamp = TestServer.lamp("lamp", access: nobody)
        lamp.fingerprint = "another lamp"
        server.host.reload(definitions, reactors: [lamp, TestServer.lamp("other")])
        await server.onLoop { server.server.delivery.deliverAll() }
        slow.resume()
        for (index, peer) in peers.enumerated() {
            let answer = try await peer.nextValue()
            #expect(answer["error"]?["code"] == -32007, "\(requests[index]): \(answer)")
        }
        await server.stop()
    }

    @Test("to subscribe is refused by name, and its name is free afterwards")
    func subscribe() async throws {
        let definition = ReactorDefinition(name: "blob", kind: "test", fingerprint: "", makeEngine: { Blob() })
        let server = try TestServer(reactors: [definition], limits: Self.limits(), patience: .milliseconds(20))
        let writer = server.connectInMemory(uid: 1001)
        writer.send(Self.request(1, "reactor.dispatch", #"{"reactor":"blob","action":100000}"#))
        #expect(try await writer.nextValue()["result"] != nil)
        let slow = await Self.fill(server, Self.someone)
        let peer = server.connectInMemory(Self.someone)
        let subscribe = Self.request(2, "subscribe", #"{"reactor":"blob","subscription":"s"}"#)
        peer.send(subscribe)
        #expect(try await peer.nextValue()["error"]?["data"]?["limit"] == "bytesPerUid")
        slow.resume()
        for _ in 1...3 { _ = try await slow.nextValue() }
        peer.send(subscribe)
        #expect(try await peer.nextValue()["result"]?["subscription"] == "s")
        await server.stop()
    }

    // MARK: What is kept

    @Test("and all that a user keeps is charged until it has ended, and refused beyond half of the limit")
    func kept() async throws {
        let work = PublishSubject<RawJSON>()
        let held = ActionDefinition(
            name: "held", kind: "test", overlap: .concurrent(limit: 1000), fingerprint: "held"
        ) { _ in work.asObservable() }
        let server = try TestServer(definitions: [held], limits: Self.limits())
        let cases: [(String, String, after: Int)] = [
            ("subscribe", #"{"action":"held","subscription":"#, 200),
            ("execution.wait", #"{"action":"held","timeout":"1h"}"#, 300),
            ("action.execute", #"{"action":"held","input":"\#(String(repeating: "x", count: 15_000))"}"#, 30),
        ]
        let first = server.connectInMemory(Self.someone)
        first.send(Self.request(0, "action.execute", #"{"action":"held","stream":"first"}"#))
        _ = try await first.nextValue()
        for (method, params, least) in cases {
            let before = await server.account(1000) { $0.keptBytes }
            var peers: [MemoryPeer] = []
            for number in 0..<3 {
                let peer = server.connectInMemory(Self.someone)
                for id in 0..<250 {
                    let params = method == "subscribe" ? params + "\"\(number) \(id)\"}" : params
                    await server.onLoop { peer.receiveNow(Self.request(id, method, params)) }
                }
                peers.append(peer)
            }
            let most = await server.account(1000) { $0.keptBytes }
            let free = peers.count * ConnectionOutput.unansweredFree * ConnectionOutput.bytesOfUnanswered
            #expect(most <= Self.limitBytes / 2 + free && most > Self.limitBytes / 4, "\(method): \(most)")
            let refused = peers.reduce(0) { $0 + $1.unread.count { $0.contains("bytesPerUid") } }
            #expect(refused > 0 && refused < 750 - least, "\(method): \(refused)")
            let other = server.connectInMemory(Self.someone)
            other.send(Self.request(0, "server.status"))
            #expect(try await other.nextValue()["result"] != nil, "another connection can look and cancel")
            other.vanish()
            for peer in peers { peer.vanish() }
            if method == "action.execute" {
                #expect(await server.account(1000) { $0.keptBytes } > before, "inputs stay until their work ends")
                work.on(.completed)
            }
            await server.onLoop {}
            #expect(await eventually { server.number(of: 1000) { $0.keptBytes } <= before }, "\(method)")
        }
        first.vanish()
        #expect(await eventually { server.number(of: 1000) { $0.keptBytes } == 0 })
        await server.stop()
    }

    @Test("of a peer that is gone finds the room that is taken by its own answers")
    func gone() async throws {
        let server = try TestServer(limits: Self.limits())
        let path = try await server.listen()
        var peers: [SocketPeer] = []
        for _ in 0..<8 {
            // The lines of some are not read.
            let peer = try SocketPeer(path: path, patience: 50_000)
            peer.send(Array((Self.echo(1, 600_000) + "\n").utf8))
            peer.send(Array((Self.request(2, "execution.list") + "\n").utf8))
            peers.append(peer)
        }
        #expect(await eventually { server.waiting(getuid()) > 0 })
        for peer in peers { peer.vanish() }
        #expect(await eventually { server.connectionCount == 0 }, "nothing waits for the patience, which is an hour")
        #expect(await server.account(getuid()) { $0.outboundBytes + $0.keptBytes } == 0)
        await server.stop()
    }
}
