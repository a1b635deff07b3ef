import Glibc
import Rx
import RxAction
import RxHost
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxServer

@Suite("The resources of one client are bounded", .countedApart)
struct BoundsTests {
    @Test("by holding back one that sends lines too long and reads no answer")
    func tooLongLines() async throws {
        var limits = Limits()
        limits.lineBytes = 64
        limits.outboxBytes = 100_000
        let server = try TestServer(limits: limits)
        let path = try await server.listen()
        var flooder: SocketPeer? = try SocketPeer(path: path)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 100) + [10]
        var sent = 0
        var idle = 0
        while idle < 50, sent < 50_000 {
            if flooder!.trySend(line) {
                sent += 1
                idle = 0
            } else {
                idle += 1
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        #expect(sent < 50_000, "the flood was never held back")
        let queued = await server.onLoop { server.server.sessions.all.map(\.output.queuedBytes).max()! }
        #expect(queued <= limits.outboxBytes + 1000, "\(queued)")
        flooder = nil
        await server.stop()
    }

    @Test(
        "in requests that wait for their answer: one too many is refused, alone or in a batch, and later ones are not")
    func unanswered() async throws {
        let work = PublishSubject<RawJSON>()
        let server = try TestServer(
            definitions: [
                ActionDefinition(name: "stubborn", kind: "test", scheduler: .inline, fingerprint: "") { invocation in
                    invocation.context.onCancel { _ in }
                    return work.asObservable()
                }
            ])
        let peer = server.connectInMemory()
        peer.send(#"{"jsonrpc":"2.0","id":"x","method":"action.execute","params":{"action":"stubborn","stream":"x"}}"#)
        let id = try #require(try await peer.nextValue()["result"]?["execution"]?.string)
        let cancel = #""jsonrpc":"2.0","method":"execution.cancel","params":{"execution":"\#(id)"}"#
        for number in 0..<ConnectionOutput.unansweredTolerated { peer.send(#"{"id":\#(number),\#(cancel)}"#) }
        peer.send(#"{"id":"one too many",\#(cancel)}"#)
        peer.send(#"[{"id":"in a batch",\#(cancel)}]"#)
        let refusal = try await peer.nextValue()
        #expect(refusal["id"] == "one too many" && refusal["error"]?["data"]?["name"] == "limitReached")
        #expect(refusal["error"]?["data"]?["value"]?.int == ConnectionOutput.unansweredTolerated)
        let batch = try await peer.nextValue()
        #expect(batch[0]?["id"] == "in a batch" && batch[0]?["error"]?["data"]?["name"] == "limitReached")
        // The stream continues, and so do notifications, which have no response.
        peer.send("{\(cancel)}")
        work.onCompleted()
        var answers = 0
        while answers < ConnectionOutput.unansweredTolerated {
            let message = try await peer.nextValue()
            if message["params"] != nil { continue }
            try #require(message["id"]?.int == answers && message["result"]?["state"] == "cancelled")
            answers += 1
        }
        peer.send(#"{"jsonrpc":"2.0","id":"after","method":"server.status"}"#)
        var last = try await peer.nextValue()
        while last["params"] != nil { last = try await peer.nextValue() }
        #expect(last["id"] == "after" && last["result"] != nil)
        await server.stop()
    }

    @Test("in 1,000 lists that it does not read: at most 16 MiB wait for it, and nothing once it is gone")
    func unreadLists() async throws {
        let server = try TestServer()
        let path = try await server.listen()
        let setUp = server.connectInMemory()
        let input = String(repeating: "x", count: 1000)
        for number in 0..<200 {
            setUp.send(
                #"{"jsonrpc":"2.0","id":\#(number),"method":"action.execute","params":{"action":"echo","#
                    + #""input":"\#(input)"}}"#)
            _ = try await setUp.nextValue()
        }
        setUp.send(#"{"jsonrpc":"2.0","id":1,"method":"execution.list"}"#)
        let size = RawJSON(try await setUp.nextValue()).utf8.count
        #expect(1000 * size > 128 << 20, "unbounded, they would take eight times as much")
        var greedy: SocketPeer? = try SocketPeer(path: path)
        let request = Array(#"{"jsonrpc":"2.0","id":1,"method":"execution.list"}"#.utf8) + [10]
        var sent = 0
        while sent < 1000, greedy!.trySend(request) { sent += 1 }
        #expect(sent > 100)
        func charged() async -> Int {
            await server.onLoop {
                let account = server.server.context.accounts[getuid()]
                return account.outboundBytes + account.keptBytes
            }
        }
        // The first answers fill the socket; then work for the others goes on until there is no room.
        var most = 0
        while most <= size { most = max(most, await charged()) }
        var (last, unchanged) = (0, 0)
        while unchanged < 100, most <= 16 << 20 {
            try await Task.sleep(for: .milliseconds(2))
            let now = await charged()
            unchanged = now == last ? unchanged + 1 : 0
            (last, most) = (now, max(most, now))
        }
        #expect(most <= 16 << 20, "\(most)")
        greedy = nil
        while await charged() > 0 {}
        await server.stop()
    }

    @Test("in the response of a batch: each result that does not fit is an error")
    func batchBytes() async throws {
        var limits = Limits()
        limits.outboxBytes = 20_000
        let server = try TestServer(limits: limits)
        let peer = server.connectInMemory()
        let requests = (0..<64).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"rpc.discover"}"# }
        peer.send("[\(requests.joined(separator: ","))]")
        let answers = try #require(try await peer.nextValue().array)
        #expect(answers.count == 64)
        let results = answers.filter { $0["result"] != nil }
        #expect(!results.isEmpty && results.count < 10)
        let refused = answers.filter { $0["error"]?["data"]?["name"] == "tooLarge" }
        #expect(refused.count == 64 - results.count)
        #expect(refused.allSatisfy { $0["error"]?["data"]?["limit"] == "outboxBytes" })
        await server.stop()
    }
}

@Suite("A list of executions", .countedApart)
struct ExecutionListTests {
    @Test("holds the newest records that fit into an outbox, and reports that there are more")
    func truncated() async throws {
        var limits = Limits()
        limits.outboxBytes = 65_536
        let server = try TestServer(limits: limits)
        let peer = server.connectInMemory()
        let input = String(repeating: "x", count: 1000)
        for number in 0..<100 {
            peer.send(
                #"{"jsonrpc":"2.0","id":\#(number),"method":"action.execute","#
                    + #""params":{"action":"echo","input":["\#(input)",\#(number)]}}"#
            )
            _ = try await peer.nextValue()
        }
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"execution.list"}"#)
        let line = try #require(await peer.nextLine())
        #expect(line.utf8.count < limits.outboxBytes + 200)
        let result = try #require(try RawJSON(validating: line).value()["result"])
        #expect(result["truncated"] == true)
        let numbers = try #require(result["executions"]?.array).compactMap { $0["input"]?[1]?.int }
        #expect(numbers.last == 99)
        #expect(numbers == Array((100 - numbers.count)...99))
        await server.stop()
    }

    @Test("an error lists some of very many unknown parameters")
    func manyFaults() async throws {
        let server = try TestServer()
        let peer = server.connectInMemory()
        let names = (0..<5000).map { #""x\#($0)":1"# }.joined(separator: ",")
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"server.status","params":{\#(names)}}"#)
        let error = try #require(try await peer.nextValue()["error"])
        #expect(error["code"] == -32602)
        #expect(error["data"]?["errors"]?.array?.compactMap { $0["path"]?.string } == (0..<8).map { "/x\($0)" })
        await server.stop()
    }

    @Test("a list of names has an end, and a name in it counts once")
    func manyNames() async throws {
        let server = try TestServer()
        let peer = server.connectInMemory()
        for (count, isValid) in [(10_000, true), (10_001, false)] {
            let names = (0..<count).map { _ in #""echo""# }.joined(separator: ",")
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":[\#(names)]}}"#)
            let answer = try await peer.nextValue()
            #expect((answer["result"] != nil) == isValid)
            #expect(answer["error"]?["data"]?["errors"]?.array?.first?["path"]?.string == (isValid ? nil : "/action"))
        }
        await server.stop()
    }

    @Test("what waits for a user's peers counts for what may be collected for the user")
    func held() {
        let held = HeldBytes(limit: 100)
        held.outboundBytes = 60
        #expect(held.add(40) && !held.add(1) && held.count == 40)
        held.outboundBytes = 0
        #expect(held.add(60) && !held.add(1))
        held.remove(100)
        #expect(held.count == 0)
    }

    @Test("a client that sends no more receives the end of its stream, however long the element before it")
    func halfClosed() async throws {
        let server = try TestServer()
        let path = try await server.listen()
        for length in [10, SharedText.least, 4 * SharedText.least] {
            let peer = try SocketPeer(path: path)
            let input = String(repeating: "x", count: length)
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"action.execute","#
                    + #""params":{"action":"echo","stream":"s","input":"\#(input)"}}"# + "\n")
            peer.endInput()
            var channels: [String] = []
            while let line = await peer.nextLine() {
                let value = try RawJSON(validating: line).value()
                channels.append(value["params"]?["channel"]?.string ?? value["method"]?.string ?? "answer")
            }
            #expect(channels == ["answer", "elements", "end"], "\(length)")
        }
        await server.stop()
    }
}
