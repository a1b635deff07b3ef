import RxStore
import Rx
import RxHost
import RxJSON
import Testing
import TestSupport

@testable import RxServer

/// Executions that have ended so long ago, or before this daemon, that only the history has them.
@Suite("A subscription to executions of the past", .countedApart)
struct PastExecutionTests {
    private static let definitions = [Builtin.ticks.definition(name: "ticks"), Builtin.fail.definition(name: "fail")]

    /// The ids of executions of an earlier daemon, each of which has ticked three times.
    private func past(_ count: Int, in file: ServedFile, by peer: Peer? = nil) async throws -> [String] {
        let store = try file.open()
        let server = try TestServer(definitions: Self.definitions, store: store)
        let writer = peer.map { server.connectInMemory($0) } ?? server.connectInMemory()
        var ids: [String] = []
        for _ in 0..<count {
            writer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"action.execute","#
                    + #""params":{"action":"ticks","input":{"count":3,"interval":"1ms"}}}"#
            )
            ids.append(try #require(try await writer.nextValue()["result"]?["execution"]?.string))
        }
        await server.stop()
        store.close()
        return ids
    }

    private func subscribe(_ peer: MemoryPeer, _ ids: String, _ more: String = "") async throws -> JSONValue {
        peer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","execution":\#(ids)\#(more)}}"#)
        return try await peer.nextValue()
    }

    @Test("that an execution is to follow: its action is looked for again, and its right, once that is found")
    func followed() async throws {
        let file = try ServedFile()
        let id = try await past(1, in: file)[0]
        let store = try file.open()
        let server = try TestServer(definitions: Self.definitions, store: store)
        let peer = server.connectInMemory()
        await server.onLoop {
            peer.receiveNow(
                #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"fail","after":"\#(id)"}}"#)
            // The store answers in a later turn.
            server.host.reload([Self.definitions[0]])
        }
        let error = try await peer.nextValue()["error"]
        #expect(error?["data"]?["name"] == "notFound" && error?["data"]?["action"] == "fail")
        await server.stop()
        store.close()
    }

    @Test("has its record, and ends at once as it did; from its start, with the elements that are kept")
    func ended() async throws {
        let file = try ServedFile()
        let id = try await past(1, in: file)[0]
        let store = try file.open()
        let server = try TestServer(definitions: Self.definitions, store: store)
        let peer = server.connectInMemory()
        for isFromStart in [false, true] {
            let answer = try await subscribe(peer, "\"\(id)\"", isFromStart ? #","from":"execution""# : "")
            let record = answer["result"]?["snapshot"]?["executions"]?[id]
            #expect(record?["state"] == "completed" && record?["elements"] == 3 && record?["action"] == "ticks")
            var sequence = 0
            if isFromStart {
                for _ in 1...3 {
                    let element = try #require(try await peer.nextValue()["params"])
                    sequence += 1
                    #expect(element["channel"] == "elements" && element["value"]?.int == sequence - 1)
                    #expect(element["seq"]?.int == sequence)
                }
            }
            let end = try #require(try await peer.nextValue()["params"])
            #expect(end["channel"] == "end" && end["value"]?["reason"] == "completed")
            #expect(end["seq"]?.int == sequence + 1)
        }
        let subscriptions = await server.onLoop { server.server.sessions.subscriptions.count }
        #expect(subscriptions == 0 && peer.unread == [])
        await server.stop()
        store.close()
    }

    @Test("has it also when its action is not configured any more")
    func actionGone() async throws {
        let file = try ServedFile()
        let id = try await past(1, in: file)[0]
        let store = try file.open()
        let server = try TestServer(definitions: [], store: store)
        let peer = server.connectInMemory()
        for from in ["", #","from":"execution""#, #","from":"last""#] {
            let answer = try await subscribe(peer, "\"\(id)\"", from)
            #expect(answer["result"]?["snapshot"]?["executions"]?[id]?["state"] == "completed")
            var elements = 0
            var event = try await peer.nextValue()["params"]
            while event?["channel"] == "elements" {
                elements += 1
                event = try await peer.nextValue()["params"]
            }
            #expect(elements == (from.contains("execution") ? 3 : 0))
            #expect(event?["value"]?["reason"] == "completed")
        }
        await server.stop()
        store.close()
    }

    @Test("continues with those that have not ended")
    func mixed() async throws {
        let file = try ServedFile()
        let ids = try await past(2, in: file)
        let store = try file.open()
        let hold = ActionDefinition(name: "hold", kind: "test", fingerprint: "") { _ in .never() }
        let server = try TestServer(definitions: Self.definitions + [hold], store: store)
        let peer = server.connectInMemory()
        peer.send(#"{"jsonrpc":"2.0","id":2,"method":"action.execute","params":{"action":"hold","stream":"x"}}"#)
        let live = try #require(try await peer.nextValue()["result"]?["execution"]?.string)
        let answer = try await subscribe(peer, #"["\#(ids[0])","\#(live)","\#(ids[1])","\#(ids[0])"]"#)
        let states = [ids[0], ids[1], live].map { answer["result"]?["snapshot"]?["executions"]?[$0]?["state"] }
        #expect(states == ["completed", "completed", "executing"])
        peer.send(#"{"jsonrpc":"2.0","id":3,"method":"execution.cancel","params":{"execution":"\#(live)"}}"#)
        var ends: [String: String] = [:]
        while ends.count < 2 {
            let event = try await peer.nextValue()["params"]
            guard event?["channel"] == "end" else { continue }
            ends[event?["subscription"]?.string ?? ""] = event?["value"]?["reason"]?.string
        }
        #expect(ends == ["s": "cancelled", "x": "cancelled"])
        await server.stop()
        store.close()
    }

    @Test("is refused for one that never was, or that is another's; the name is free again")
    func refused() async throws {
        let file = try ServedFile()
        let id = try await past(1, in: file, by: Someone.named.peer)[0]
        let store = try file.open()
        var secret = Self.definitions
        secret[0].access = Access(execute: .everyone, subscribe: .nobody, manage: .nobody)
        let server = try TestServer(definitions: secret, owner: Someone.ownerID, store: store)
        let (own, stranger) = (
            server.connectInMemory(Someone.named.peer), server.connectInMemory(Someone.outsider.peer)
        )
        let unknown = try await subscribe(own, #"["\#(id)","01890a5d-ac96-774b-bcce-b302099a8057"]"#)
        #expect(unknown["error"]?["data"]?["name"] == "notFound")
        #expect(unknown["error"]?["data"]?["execution"] == "01890a5d-ac96-774b-bcce-b302099a8057")
        #expect(try await subscribe(stranger, "\"\(id)\"")["error"]?["data"]?["name"] == "forbidden")
        #expect(try await subscribe(own, "\"\(id)\"")["result"] != nil)
        #expect(try await own.nextValue()["params"]?["value"]?["reason"] == "completed")
        let many = (0..<257).map { "\"00000000-0000-7000-8000-\(String(100_000_000_000 + $0))\"" }.joined(
            separator: ",")
        let refusal = try await subscribe(own, "[\(many)]")["error"]?["data"]
        #expect(refusal?["name"] == "limitReached" && refusal?["value"] == 256)
        await server.stop()
        store.close()
    }
}
