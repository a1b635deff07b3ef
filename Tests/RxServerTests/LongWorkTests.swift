import Dispatch
import Glibc
import Rx
import RxJSON
import RxLoop
import RxRecords
import TestSupport
import Testing

@testable import RxHost
@testable import RxProtocol
@testable import RxServer

/// Requests that take long must not keep the loop from others.
@Suite("Long work", .ownThreads)
struct LongWorkTests {
    /// An action whose validation of a long input waits until `gate` is signaled.
    private static func gated(_ gate: DispatchSemaphore, _ validated: Locked<Int>) throws -> ActionDefinition {
        var definition = ActionDefinition(name: "gated", kind: "test", scheduler: .inline, fingerprint: "gated") {
            .just($0.input)
        }
        definition.answer = { .success(RawJSON(unchecked: Array("\($0.utf8.count)".utf8))) }
        definition.schema = try JSONSchema(RawJSON(validating: "{}"))
        definition.validate = { input in
            validated.withLock { $0 += 1 }
            if input.utf8.count > Host.inputBytesValidatedAtOnce { gate.wait() }
            return input.utf8.starts(with: Array("\"bad".utf8)) ? [InputFault(path: "", message: "is bad")] : []
        }
        return definition
    }

    private static func execute(_ id: Int, _ input: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"action.execute","params":{"action":"gated","input":"\#(input)"}}"#
    }

    private static let long = String(repeating: "x", count: 10_000)

    @Test("of one connection keeps its requests in order, and nobody else waits for it")
    func validation() async throws {
        let gate = DispatchSemaphore(value: 0)
        let validated = Locked(0)
        let server = try TestServer(definitions: [
            Self.gated(gate, validated), Builtin.echo.definition(name: "echo"),
        ])
        let busy = (0..<5).map { _ in server.connectInMemory(uid: 1000) }
        for peer in busy { for id in 1...3 { peer.send(Self.execute(id, id == 2 ? "short" : Self.long)) } }
        #expect(await eventually { validated.withLock { $0 } == 1 })
        // Another connection of the same user, and another user, whose long work has a thread of its own.
        let (same, other) = (server.connectInMemory(uid: 1000), server.connectInMemory(uid: 1001))
        for peer in [same, other] {
            peer.send(#"{"jsonrpc":"2.0","id":9,"method":"action.execute","params":{"action":"echo","input":1}}"#)
            #expect(try await peer.nextValue()["id"] == 9)
        }
        other.send(Self.execute(10, Self.long))
        #expect(await eventually { validated.withLock { $0 } == 2 }, "the other user's work has begun")
        for _ in 0..<11 { gate.signal() }
        for peer in busy {
            for id in 1...3 {
                let answer = try await peer.nextValue()
                #expect(answer["id"]?.int == id && answer["result"] != nil)
            }
        }
        #expect(try await other.nextValue()["id"] == 10)
        #expect(validated.withLock { $0 } == 16, "each input is validated once")
        await server.stop()
    }

    @Test("validates an input that is not valid once, long or short")
    func invalid() async throws {
        let gate = DispatchSemaphore(value: 2)
        let validated = Locked(0)
        let server = try TestServer(definitions: [Self.gated(gate, validated)])
        let peer = server.connectInMemory()
        for (id, input) in [(1, "fine"), (2, "bad"), (3, "bad" + Self.long), (4, Self.long)] {
            peer.send(Self.execute(id, input))
            let answer = try await peer.nextValue()
            #expect(answer["id"]?.int == id)
            #expect((answer["error"]?["code"] == -32602) == input.hasPrefix("bad"), "\(answer)")
        }
        #expect(validated.withLock { $0 } == 4)
        await server.stop()
    }

    @Test("is the hash of a long input with a key, too")
    func key() async throws {
        let never = ActionDefinition(name: "gated", kind: "test", fingerprint: "never") { _ in .never() }
        let server = try TestServer(definitions: [never])
        let peer = server.connectInMemory()
        let request =
            #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"gated","key":"k","stream":"s","#
            + #""input":"\#(Self.long)"}}"#
        let isInFlight = await server.onLoop {
            peer.receiveNow(request)
            return !server.host.log.inFlight.isEmpty
        }
        #expect(!isInFlight, "the loop has not carried it out itself")
        #expect(try await peer.nextValue()["result"]?["disposition"] == "started")
        await server.stop()
    }

    @Test("is dropped for a notification: nobody would read the answer")
    func notification() async throws {
        let gate = DispatchSemaphore(value: 0)
        let validated = Locked(0)
        let server = try TestServer(definitions: [Self.gated(gate, validated)])
        let peer = server.connectInMemory()
        peer.send(
            #"{"jsonrpc":"2.0","method":"action.check","params":{"action":"gated","input":"\#(Self.long)"}}"#)
        peer.send(Self.execute(1, "short"))
        #expect(try await peer.nextValue()["id"] == 1)
        #expect(validated.withLock { $0 } == 1, "the notification was not validated")
        await server.stop()
    }

    @Test("waits as it came while much waits for the user, and is carried out when that is read")
    func room() async throws {
        var limits = Limits()
        limits.bytesPerUid = 1 << 20
        let server = try TestServer(limits: limits)
        let peers = (0..<40).map { _ in server.connectInMemory(uid: 1000) }
        let list = #"{"jsonrpc":"2.0","id":1,"method":"execution.list"}"#
        // One reader leaves more than the limit unread.
        let slow = server.connectInMemory(uid: 1000)
        slow.stall()
        let payload = String(repeating: "x", count: 600_000)
        let echo = #""method":"action.execute","params":{"action":"echo","input":"\#(payload)"}"#
        for _ in 0..<2 { await server.onLoop { slow.receiveNow(#"{"jsonrpc":"2.0","id":0,\#(echo)}"#) } }
        for peer in peers { peer.send(list) }
        #expect(
            await eventually {
                server.waitingAnswers(of: 1000) == peers.count
            })
        #expect(peers.allSatisfy { $0.unread.isEmpty })
        let other = server.connectInMemory(uid: 1001)
        other.send(list)
        #expect(try await other.nextValue()["result"] != nil, "other users do not wait")
        slow.resume()
        for peer in peers { #expect(try await peer.nextValue()["result"] != nil) }
        await server.stop()
    }

    @Test("that is no long answer does not wait for room")
    func validationNeedsNoRoom() async throws {
        let gate = DispatchSemaphore(value: 1)
        let validated = Locked(0)
        var limits = Limits()
        limits.bytesPerUid = 100_000
        let server = try TestServer(
            definitions: [Self.gated(gate, validated), Builtin.echo.definition(name: "echo")], limits: limits)
        let slow = server.connectInMemory(uid: 1000)
        slow.stall()
        let payload = String(repeating: "x", count: 200_000)
        slow.send(
            #"{"jsonrpc":"2.0","id":0,"method":"action.execute","params":{"action":"echo","input":"\#(payload)"}}"#)
        await server.onLoop {}
        let peer = server.connectInMemory(uid: 1000)
        peer.send(Self.execute(1, Self.long))
        #expect(try await peer.nextValue()["result"] != nil)
        slow.resume()
        await server.stop()
    }

    @Test("is refused by name if nothing is read for too long")
    func refusal() async throws {
        var limits = Limits()
        limits.bytesPerUid = 100_000
        let server = try TestServer(limits: limits, patience: .milliseconds(20))
        let slow = server.connectInMemory(uid: 1000)
        slow.stall()
        let payload = String(repeating: "x", count: 200_000)
        slow.send(
            #"{"jsonrpc":"2.0","id":0,"method":"action.execute","params":{"action":"echo","input":"\#(payload)"}}"#)
        await server.onLoop {}
        let peer = server.connectInMemory(uid: 1000)
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"execution.list"}"#)
        let error = try await peer.nextValue()["error"]
        #expect(error?["data"]?["limit"] == "bytesPerUid")
        // The connection goes on.
        peer.send(#"{"jsonrpc":"2.0","id":2,"method":"server.status"}"#)
        #expect(try await peer.nextValue()["id"] == 2)
        slow.resume()
        await server.stop()
    }

    @Test("keeps the connection of a peer that is gone, so that the work that waits is bounded by connections")
    func goneBehindLastLine() async throws {
        let gate = DispatchSemaphore(value: 0)
        let validated = Locked(0)
        var limits = Limits()
        limits.connectionsPerUid = 3
        let server = try TestServer(definitions: [Self.gated(gate, validated)], limits: limits)
        let path = try await server.listen()
        let input = String(repeating: "x", count: 50_000)
        for number in 1...3 {
            let peer = try SocketPeer(path: path)
            // The end of input completes the last line.
            peer.send(Array(Self.execute(1, input).utf8))
            peer.vanish()
            #expect(await eventually { server.connectionCount == number })
        }
        #expect(await eventually { validated.withLock { $0 } == 1 })
        #expect(await server.longLines(of: getuid()) == 3, "the lines are kept until their work has ended")
        let refused = try SocketPeer(path: path)
        #expect(try await refused.nextValue()["error"]?["data"]?["limit"] == "connectionsPerUid")
        for _ in 0..<3 { gate.signal() }
        #expect(await eventually { server.connectionCount == 0 })
        #expect(await server.longLines(of: getuid()) == 0)
        #expect(validated.withLock { $0 } == 3)
        await server.stop()
    }

    @Test("is not begun for a peer that is gone if all that it makes is an answer")
    func goneBeforeAnswers() async throws {
        let gate = DispatchSemaphore(value: 0)
        let validated = Locked(0)
        let server = try TestServer(definitions: [Self.gated(gate, validated)])
        let path = try await server.listen()
        let peer = try SocketPeer(path: path)
        let check =
            #"{"jsonrpc":"2.0","id":2,"method":"action.check","params":{"action":"gated","input":"\#(Self.long)"}}"#
        peer.send(Array("\(Self.execute(1, Self.long))\n\(check)\n[\(check),\(check)]\n".utf8))
        #expect(await eventually { validated.withLock { $0 } == 1 })
        peer.vanish()
        while await server.onLoop({ server.server.sessions.all.contains { $0.output.hasReader } }) {}
        for _ in 0..<4 { gate.signal() }
        #expect(await eventually { server.connectionCount == 0 })
        #expect(validated.withLock { $0 } == 1, "the execution is carried out")
        await server.stop()
    }

    @Test("of a notification is finished before a connection without further input is closed")
    func lastNotification() async throws {
        let gate = DispatchSemaphore(value: 0)
        let validated = Locked(0)
        let server = try TestServer(definitions: [Self.gated(gate, validated)])
        let path = try await server.listen()
        let peer = try SocketPeer(path: path)
        let line =
            #"{"jsonrpc":"2.0","method":"action.execute","params":{"action":"gated","input":"\#(Self.long)"}}"#
        peer.send(Array(line.utf8))
        peer.endInput()
        #expect(await eventually { validated.withLock { $0 } == 1 })
        #expect(await server.onLoop { server.server.sessions.all.count } == 1)
        gate.signal()
        #expect(await eventually { server.connectionCount == 0 })
        await server.stop()
    }
}

extension TestServer {
    /// Requests of a user that wait for room for their answers.
    fileprivate func waitingAnswers(of uid: UInt32) -> Int {
        let done = DispatchSemaphore(value: 0)
        let count = Locked(0)
        loop.execute { [server] in
            let waiting = server.context.accounts[uid].longAnswers.count
            count.withLock { $0 = waiting }
            done.signal()
        }
        done.wait()
        return count.withLock { $0 }
    }

    /// Incomplete lines of a user that are long.
    fileprivate func longLines(of uid: UInt32) async -> Int {
        await onLoop { [server] in server.context.accounts[uid].longLines.count }
    }
}
