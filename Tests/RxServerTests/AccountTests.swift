import Glibc
import Rx
import RxJSON
import RxLoop
import TestSupport
import Testing

@testable import RxHost
@testable import RxProtocol
@testable import RxServer

/// What one user may use, and what is left for others.
@Suite("An account", .ownThreads)
struct AccountTests {
    @Test("leaves connections to root and the daemon's user when others take all that they can")
    func reserved() async throws {
        var limits = Limits()
        limits.connections = 32
        limits.connectionsPerUid = 8
        let server = try TestServer(limits: limits, owner: 4000)
        let status = #"{"jsonrpc":"2.0","id":1,"method":"server.status"}"#
        var peers: [MemoryPeer] = []
        for uid in UInt32(1000)..<1004 {
            for _ in 0..<8 { peers.append(server.connectInMemory(uid: uid)) }
        }
        // Of 32, 4 are reserved.
        for (index, peer) in peers.enumerated() {
            peer.send(status)
            let answer = try await peer.nextValue()
            #expect((answer["error"]?["data"]?["limit"] == "connections") == (index >= 28), "\(index): \(answer)")
        }
        // Those that are refused and have not gone yet take no place.
        let refused = (0..<8).map { _ in server.connectStalled(uid: 1004) }
        #expect(server.connectionCount == 36 && refused.count == 8)
        for uid in [UInt32(0), 4000] {
            let peer = server.connectInMemory(uid: uid)
            peer.send(status)
            #expect(try await peer.nextValue()["result"] != nil)
        }
        for peer in refused { peer.vanish() }
        await server.stop()
    }

    @Test("leaves a connection to root and the daemon's user however few there are, except a single one")
    func reservedOfFew() async throws {
        var limits = Limits()
        for (connections, reserved) in [(1, 0), (2, 1), (7, 1), (8, 1), (24, 3), (1024, 16)] {
            limits.connections = connections
            #expect(limits.connectionsReserved == reserved, "of \(connections)")
        }
        limits.connections = 4
        let server = try TestServer(limits: limits, owner: 4000)
        let status = #"{"jsonrpc":"2.0","id":1,"method":"server.status"}"#
        var peers: [MemoryPeer] = []
        for uid in [UInt32(1000), 1001, 1002, 1003] + [0] {
            peers.append(server.connectInMemory(uid: uid))
            peers.last?.send(status)
            let answer = try await peers.last?.nextValue()
            #expect((answer?["error"]?["data"]?["limit"] == "connections") == (uid == 1003), "\(uid)")
        }
        await server.stop()
    }

    @Test("bounds the long lines that grow at a time; all of them are received in the end")
    func longLines() async throws {
        let server = try TestServer()
        let path = try await server.listen()
        let count = LongLines.most + 12
        let peers = try (0..<count).map { _ in try SocketPeer(path: path) }
        let input = String(repeating: "x", count: 300_000)
        let line =
            #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":"\#(input)"}}"# + "\n"
        let bytes = Array(line.utf8)
        // As much as the kernel and the daemon take; nobody completes a line.
        var sent = [Int](repeating: 0, count: count)
        for _ in 0..<50 {
            for (index, peer) in peers.enumerated() {
                sent[index] += peer.sendSome(bytes[sent[index]..<min(bytes.count - 1, sent[index] + 40_000)])
            }
            await server.onLoop {}
        }
        let growing = sent.count { $0 >= bytes.count - 1 }
        let (lines, accounts) = await server.onLoop {
            let accounts = server.server.context.accounts.all
            return (accounts.first?.longLines.count ?? 0, accounts.count)
        }
        #expect(accounts == 1 && lines == count)
        #expect(growing >= 1 && growing <= LongLines.most, "\(growing) lines have grown")
        // The rest of each; a line that waits goes on when one before it is complete.
        var waiting = Set(0..<count)
        let deadline = ContinuousClock.now + patience
        while !waiting.isEmpty {
            try #require(ContinuousClock.now < deadline, "\(waiting.count) lines are not received")
            for index in waiting {
                sent[index] += peers[index].sendSome(bytes[sent[index]...])
                if sent[index] == bytes.count { waiting.remove(index) }
            }
        }
        for peer in peers { #expect(try await peer.nextValue()["result"] != nil) }
        let left = await server.onLoop { server.server.context.accounts.all.first?.longLines.count }
        #expect(left == 0)
        await server.stop()
    }

    @Test("keeps nothing of connections that come and go while no long line is completed")
    func comingAndGoing() throws {
        final class Owner: LongLines.Owner {
            func pauseLongLine() {}
            func resumeLongLine() {}
            func refuseLongLine() {}
        }
        let lines = LongLines(patience: .seconds(3600), loop: try EventLoop())
        let growing = (0..<LongLines.most).map { _ in Owner() }
        for owner in growing { lines.begin(owner) }
        let last = Owner()
        lines.begin(last)
        weak var gone: Owner?
        for _ in 0..<10_000 {
            let owner = Owner()
            gone = owner
            lines.begin(owner)
            #expect(lines.isWaiting(owner))
            lines.end(owner)
        }
        #expect(gone == nil)
        #expect(lines.count == LongLines.most + 1 && lines.orderCount < 1000)
        lines.end(growing[0])
        #expect(!lines.isWaiting(last), "the one that still waits goes on")
    }

    @Test("ends a connection whose long line is never completed, if others wait for it")
    func stuckLine() async throws {
        let server = try TestServer(patience: .milliseconds(50))
        let path = try await server.listen()
        let half = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
        let stuck = try (0..<LongLines.most).map { _ in try SocketPeer(path: path) }
        for peer in stuck {
            var sent = 0
            while sent < half.count {
                sent += peer.sendSome(half[sent...])
                await server.onLoop {}
            }
        }
        let waiting = try SocketPeer(path: path)
        let input = String(repeating: "x", count: 300_000)
        let line =
            #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":"\#(input)"}}"# + "\n"
        waiting.send(Array(line.utf8))
        #expect(try await waiting.nextValue()["result"] != nil)
        var refused = 0
        for peer in stuck where peer.unread.contains(where: { $0.contains("longLines") }) { refused += 1 }
        #expect(refused >= 1)
        await server.stop()
    }
}

extension SocketPeer {
    /// - Returns: the number of bytes that the kernel took.
    fileprivate func sendSome(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.isEmpty ? 0 : max(0, trySome(bytes))
    }
}
