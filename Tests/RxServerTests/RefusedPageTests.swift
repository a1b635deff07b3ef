import RxAction
import RxHost
import RxJSON
import RxLoop
import RxRecords
import TestSupport
import Testing

@testable import RxServer
@testable import RxStore

/// A subscription that catches up while the store takes no more reads of its user.
@Suite("A page of the log that the store refuses to read", .countedApart, .ownThreads)
struct RefusedPageTests {
    @Test("is read later, and nothing counts as lost")
    func readLater() async throws {
        let file = try ServedFile()
        let store = try file.open()
        var catchUp = CatchUpLimits()
        catchUp.events = 4
        let server = try TestServer(
            definitions: [Builtin.ticks.definition(name: "ticks")], store: store, catchUp: catchUp)
        let (user, count) = (UInt32(1000), 10)
        let peer = server.connectInMemory(uid: user)
        for _ in 0..<count {
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"action.execute","#
                    + #""params":{"action":"ticks","input":{"count":1,"interval":"1ms"}}}"#)
            _ = try #require(try await peer.nextValue()["result"])
        }
        _ = await answer { store.set(nil, of: "flush", completion: $0) }

        file.hang(store, reads: true)
        for _ in 0..<StoreLimits.waitingReadsOfUser { store.record(ExecutionID(), for: user) { _ in } }
        peer.send(
            #"{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"subscription":"s","action":"ticks","#
                + #""channels":["executions"],"from":"start"}}"#)
        #expect(try await peer.nextValue()["result"] != nil)
        // The loop has nothing else to do than to ask again.
        let turns = server.loop.turns
        #expect(await eventually { server.loop.turns > turns + 4 })
        file.resume(store, reads: true)

        var states: [String] = []
        while states.count < 2 * count {
            let event = try #require(try await peer.nextValue()["params"])
            try #require(event["channel"] == "executions", "\(event)")
            states.append(try #require(event["value"]?["state"]?.string))
        }
        #expect(states == (0..<count).flatMap { _ in ["executing", "completed"] })
        await server.stop()
        store.close()
    }
}
