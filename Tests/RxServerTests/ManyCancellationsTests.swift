import Dispatch
import Glibc
import Rx
import RxAction
import RxHost
import RxJSON
import RxRecords
import TestSupport
import Testing

@testable import RxServer

/// `action.cancel` of an action with many executions in flight.
@Suite("A cancellation among many executions", .ownThreads)
struct ManyCancellationsTests {
    private static let cancel =
        #"{"jsonrpc":"2.0","id":1,"method":"action.cancel","params":{"action":"many"}}"#
    private static let hello = #"{"jsonrpc":"2.0","id":2,"method":"server.hello","params":{"protocol":"rx/1"}}"#

    @Test(
        "looks for those that it may cancel beside the loop, and the request after it is answered after it",
        arguments: [true, false])
    func beside(isAllowed: Bool) async throws {
        let many = ActionDefinition(
            name: "many", kind: "test", overlap: .concurrent(limit: 1000), fingerprint: "many"
        ) { _ in .never() }
        let server = try TestServer(definitions: [many], owner: Someone.ownerID)
        let action = try #require(server.host.registry["many"])
        let count = ActionCancel.mostAtOnce + 1
        for _ in 0..<count {
            let request = ExecutionRequest(input: .null, by: Someone.root.origin)
            guard case .accepted = server.host.submit(action, request) else { return #expect(Bool(false)) }
        }
        let someone = isAllowed ? Someone.root : Someone.member
        // The user's work in progress: nothing else of it begins before.
        let gate = DispatchSemaphore(value: 0)
        server.server.workers.run(for: someone.peer.uid) { gate.wait() }
        let (peer, other) = (server.connectInMemory(someone.peer), server.connectInMemory(Someone.named.peer))
        peer.send(Self.cancel)
        peer.send(Self.hello)
        other.send(Self.hello)
        #expect(try await other.nextValue()["id"] == 2)
        #expect(server.host.log.inFlight.count == count && peer.unread.isEmpty)
        gate.signal()
        let answer = try await peer.nextValue()
        #expect(answer["id"] == 1)
        if isAllowed {
            #expect(answer["result"]?["executions"]?.array?.count == count - 1)
            #expect(answer["result"]?["truncated"] == true)
        } else {
            #expect(answer["error"]?["data"]?["name"] == "forbidden")
            #expect(server.host.log.inFlight.count == count)
        }
        #expect(try await peer.nextValue()["id"] == 2)
        await server.stop()
    }
}
