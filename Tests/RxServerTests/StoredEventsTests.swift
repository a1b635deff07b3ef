import Rx
import RxAction
import RxHost
import RxJSON
import RxStore
import Testing
import TestSupport

@testable import RxServer

/// Events that a reader gets from the store, where they are encoded by another thread than the loop's.
@Suite("Events of the log", .countedApart)
struct StoredEventsTests {
    /// Fails with its input, and with one that is too long for the block of other events, or emits it.
    private static let definitions = [
        Builtin.fail.definition(name: "fail"),
        ActionDefinition(name: "emit", kind: "test", scheduler: .inline, fingerprint: "emit") { invocation in
            .just(invocation.input)
        },
    ]

    private static let request =
        #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","action":["fail","emit"],"#
        + #""channels":["elements","errors","executions"]"#

    /// The next events without their numbers in the subscription, up to the end of the last execution.
    private func events(_ peer: MemoryPeer, executions: Int) async throws -> [JSONValue] {
        var events: [JSONValue] = []
        var ended = 0
        while ended < executions {
            let message = try await peer.nextValue()
            guard message["method"] == "event", var event = message["params"]?.object else { continue }
            #expect(event["seq"]?.int == events.count + 1)
            event["seq"] = nil
            events.append(.object(event))
            if event["channel"] == "executions", event["value"]?["endedAt"]?.isNull == false { ended += 1 }
        }
        return events
    }

    @Test("are the same from the store as when they happened, whatever their length")
    func sameEvents() async throws {
        let file = try ServedFile()
        var store = try file.open()
        var server = try TestServer(definitions: Self.definitions, store: store)
        let live = server.connectInMemory()
        live.send(Self.request + "}}")
        #expect(try await live.nextValue()["result"] != nil)
        let writer = server.connectInMemory()
        let lengths = [1, 300, 3000, 12_000, SharedText.least + 100, 10]
        for (number, length) in (lengths + lengths).enumerated() {
            for name in ["fail", "emit"] {
                let text = String(repeating: number % 2 == 0 ? "a" : #"\u00e4\n"#, count: length / (number % 2 * 7 + 1))
                writer.send(
                    #"{"jsonrpc":"2.0","id":2,"method":"action.execute","#
                        + #""params":{"action":"\#(name)","input":{"message":"\#(text)"}}}"#)
                #expect(try await writer.nextValue()["id"] == 2)
            }
        }
        let happened = try await events(live, executions: 4 * lengths.count)
        await server.stop()
        store.close()

        store = try file.open()
        server = try TestServer(definitions: Self.definitions, store: store)
        _ = server.host.resume()
        let late = server.connectInMemory()
        late.send(Self.request + #","from":"start"}}"#)
        let kept = try await events(late, executions: 4 * lengths.count)
        #expect(kept.count == happened.count)
        for (kept, happened) in zip(kept, happened) { #expect(kept == happened) }
        await server.stop()
        store.close()
    }
}
