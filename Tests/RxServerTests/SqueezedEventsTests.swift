import Rx
import RxAction
import RxHost
import RxJSON
import RxProtocol
import RxRecords
import TestSupport
import Testing

@testable import RxServer

/// However many connections a user has, a long element finds room in the account or is not kept.
@Suite("Long elements of a user that reads nothing", .ownThreads)
struct SqueezedEventsTests {
    private static let length = 200_000

    private static func long() -> ActionDefinition {
        ActionDefinition(
            name: "long", kind: "test", overlap: .concurrent(limit: 1000), scheduler: .inline, fingerprint: "long"
        ) { _ in .just(RawJSON(unchecked: Array("\"\(String(repeating: "x", count: length))\"".utf8))) }
    }

    private static func limits() -> Limits {
        var limits = Limits()
        limits.bytesPerUid = 1 << 20
        return limits
    }

    private func expectBounded(_ server: TestServer) async {
        await server.onLoop { server.server.delivery.deliverAll() }
        await server.onLoop {}
        let outbound = await server.account(1000) { $0.outboundBytes }
        #expect(outbound > Self.limits().bytesPerUid / 2, "\(outbound)")
        // One is beyond the limit.
        #expect(outbound < Self.limits().bytesPerUid + 2 * Self.length, "\(outbound)")
    }

    @Test("are dropped and counted beyond the account, although nothing else waits for the connection")
    func subscribers() async throws {
        let server = try TestServer(definitions: [Self.long()], limits: Self.limits())
        let peers = (0..<40).map { _ in server.connectInMemory(uid: 1000) }
        for peer in peers {
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                    + #""params":{"subscription":"s","action":"long","channels":["elements"]}}"#)
            #expect(try await peer.nextValue()["result"] != nil)
            peer.stall()
        }
        let writer = server.connectInMemory(uid: 1001)
        writer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"long"}}"#)
        #expect(try await writer.nextValue()["result"] != nil)
        await expectBounded(server)
        for peer in peers { peer.resume() }
        var (elements, lost) = (0, 0)
        for peer in peers {
            let event = try #require(try await peer.nextValue()["params"])
            #expect(event["seq"] == 1)
            if event["channel"] == "elements" { elements += 1 }
            if event["channel"] == "lag", event["value"]?["dropped"] == 1 { lost += 1 }
        }
        #expect(elements >= 4 && elements <= 6 && elements + lost == peers.count)
        await server.stop()
    }

    @Test("of executions that they have requested with a stream are, too")
    func requesters() async throws {
        let server = try TestServer(definitions: [Self.long()], limits: Self.limits())
        let peers = (0..<40).map { _ in server.connectInMemory(uid: 1000) }
        for peer in peers {
            peer.stall()
            for id in 1...3 {
                peer.send(
                    #"{"jsonrpc":"2.0","id":\#(id),"method":"action.execute","#
                        + #""params":{"action":"long","stream":"s\#(id)"}}"#)
            }
            await server.onLoop {}
        }
        await expectBounded(server)
        for peer in peers { peer.resume() }
        for peer in peers {
            var ended = 0
            while ended < 3 {
                if try await peer.nextValue()["params"]?["channel"] == "end" { ended += 1 }
            }
        }
        await server.stop()
    }
}
