import RxRecords
import Glibc
import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxServer

@Suite("A client that leaves", .countedApart)
struct LeavingTests {
    private static var definitions: [ActionDefinition] {
        var shared = ActionDefinition(name: "common", kind: "test", fingerprint: "common") { _ in .never() }
        shared.overlap = .join
        return TestServer.definitions + [shared]
    }

    private static func execute(_ id: Int, _ more: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"action.execute","params":{"action":"common"\#(more)}}"#
    }

    /// Starts the shared execution and returns it.
    private func start(_ server: TestServer) async throws -> (MemoryPeer, HostedExecution) {
        let peer = server.connectInMemory()
        peer.send(Self.execute(1, #","stream":"s","onDisconnect":"cancel""#))
        #expect(try await peer.nextValue()["result"]?["disposition"] == "started")
        return (peer, try #require(server.host.log.inFlight.first))
    }

    @Test("leaves nothing behind in an execution that continues, however it took part")
    func joiners() async throws {
        let server = try TestServer(definitions: Self.definitions)
        let (first, execution) = try await start(server)
        let count = execution.observers.count
        for round in 0..<200 {
            let peer = server.connectInMemory()
            peer.send(Self.execute(1, #","stream":"a","onDisconnect":"cancel""#))
            #expect(try await peer.nextValue()["result"]?["disposition"] == "joined")
            peer.send(Self.execute(2, #","onDisconnect":"cancel""#))
            peer.send(Self.execute(3, #","key":"k\#(round)""#))
            peer.send(
                #"{"jsonrpc":"2.0","id":4,"method":"execution.wait","params":{"execution":"\#(execution.id)"}}"#)
            peer.send(#"{"jsonrpc":"2.0","id":5,"method":"execution.wait","params":{"action":"common"}}"#)
            await server.onLoop { peer.close() }
        }
        #expect(execution.observers.count == count)
        #expect(execution.watchers == 1 && execution.requesters.tokens.count == 1)
        #expect(execution.action.levels.idleObservers.isEmpty)
        #expect(execution.isInFlight)
        execution.cancel(by: .host)
        #expect(try await first.nextValue()["params"]?["channel"] == "errors")
        await server.stop()
    }

    @Test("is not required: a closed stream leaves nothing behind either")
    func unsubscribing() async throws {
        let server = try TestServer(definitions: Self.definitions)
        let (first, execution) = try await start(server)
        let count = execution.observers.count
        let peer = server.connectInMemory()
        for _ in 0..<200 {
            peer.send(Self.execute(1, #","stream":"a","onDisconnect":"cancel""#))
            #expect(try await peer.nextValue()["result"]?["disposition"] == "joined")
            peer.send(#"{"jsonrpc":"2.0","id":2,"method":"unsubscribe","params":{"subscription":"a"}}"#)
            #expect(try await peer.nextValue()["result"] != nil)
            #expect(try await peer.nextValue()["params"]?["value"]?["reason"] == "unsubscribed")
        }
        #expect(execution.observers.count == count && execution.watchers == 1)
        let requests = await server.onLoop { server.server.sessions.all.map(\.requests.count).max() }
        #expect(requests == 1)
        // The last one to withdraw cancels it, and its stream ends so.
        first.send(#"{"jsonrpc":"2.0","id":2,"method":"unsubscribe","params":{"subscription":"s"}}"#)
        #expect(try await first.nextValue()["id"] == 2)
        #expect(try await first.nextValue()["params"]?["channel"] == "errors")
        #expect(try await first.nextValue()["params"]?["value"]?["reason"] == "cancelled")
        await server.stop()
    }

    @Test("and a request without an id has no waiting client")
    func notifications() async throws {
        let server = try TestServer(definitions: Self.definitions)
        let (first, execution) = try await start(server)
        let count = execution.observers.count
        for _ in 0..<500 {
            first.send(#"{"jsonrpc":"2.0","method":"action.execute","params":{"action":"common","timeout":"1h"}}"#)
            first.send(
                #"{"jsonrpc":"2.0","method":"execution.wait","params":{"execution":"\#(execution.id)"}}"#)
            first.send(#"{"jsonrpc":"2.0","method":"execution.wait","params":{"action":"common"}}"#)
        }
        await server.onLoop {}
        #expect(execution.observers.count == count && execution.action.levels.idleObservers.isEmpty)
        // What it would withdraw from is counted, with an id or without.
        for _ in 0..<1100 {
            first.send(
                #"{"jsonrpc":"2.0","method":"action.execute","params":{"action":"common","onDisconnect":"cancel"}}"#)
        }
        await server.onLoop {}
        #expect(execution.requesters.tokens.count == ConnectionOutput.unansweredTolerated)
        first.send(Self.execute(2, #","onDisconnect":"cancel""#))
        #expect(try await first.nextValue()["error"]?["data"]?["limit"] == "requests")
        await server.stop()
    }
}
