import RxRecords
import Rx
import RxHost
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxServer

/// An engine whose state is a text; the last action is its length.
final class Blob: ReactorEngine {
    private let outlet = Locked<(any ReactorOutlet)?>(nil)

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        self.outlet.withLock { $0 = outlet }
        return JSONState("")
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        let length = input.action.value().int ?? 0
        outlet.withLock { $0 }?.reduced(
            ReactorStep(
                input: input, mutation: { input.action },
                state: JSONState(.string(String(repeating: "x", count: length)))))
        completion(nil)
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {}
    func stop(completion: @escaping @Sendable () -> Void) { completion() }
}

/// A state may be many times as large as the outbox of a client.
@Suite("A state that is larger than an outbox", .countedApart)
struct LargeStateTests {
    private static let length = 600_000
    private static let outboxBytes = 65_536

    private func withBlob(_ body: (TestServer, String) async throws -> Void) async throws {
        let definition = ReactorDefinition(name: "blob", kind: "test", fingerprint: "", makeEngine: { Blob() })
        var limits = Limits()
        limits.outboxBytes = Self.outboxBytes
        let server = try TestServer(reactors: [definition], limits: limits)
        let path = try await server.listen()
        let writer = try SocketPeer(path: path)
        writer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"reactor.dispatch","#
                + #""params":{"reactor":"blob","action":\#(Self.length)}}"#
        )
        #expect(try await writer.nextValue()["result"]?["revision"] == 1)
        try await body(server, path)
        await server.stop()
    }

    @Test("is whole in responses, in snapshots, and in events")
    func whole() async throws {
        try await withBlob { server, path in
            let peer = try SocketPeer(path: path)
            peer.send(#"{"jsonrpc":"2.0","id":1,"method":"reactor.state","params":{"reactor":"blob"}}"#)
            #expect(try await peer.nextValue()["result"]?["state"]?.string?.utf8.count == Self.length)
            peer.send(
                #"{"jsonrpc":"2.0","id":2,"method":"subscribe","#
                    + #""params":{"subscription":"s","reactor":"blob","patch":true}}"#
            )
            let snapshot = try await peer.nextValue()["result"]?["snapshot"]?["reactors"]?["blob"]
            #expect(snapshot?["state"]?.string?.utf8.count == Self.length)
            peer.send(
                #"{"jsonrpc":"2.0","id":3,"method":"reactor.dispatch","#
                    + #""params":{"reactor":"blob","action":\#(Self.length + 1)}}"#
            )
            var (isAnswered, told) = (false, 0)
            while !isAnswered || told == 0 {
                let line = try await peer.nextValue()
                if line["id"] == 3 { isAnswered = true } else { told = line["params"]?["revision"]?.int ?? -1 }
            }
            #expect(told == 2)
        }
    }

    @Test("is in the snapshot of all reactors, with other long and short ones")
    func all() async throws {
        let names = ["blob", "blub", "long", "short"]
        let server = try TestServer(
            reactors: names.map { ReactorDefinition(name: $0, kind: "test", fingerprint: "", makeEngine: { Blob() }) })
        let peer = try SocketPeer(path: try await server.listen())
        let lengths = ["blob": 600_000, "blub": 300_000, "long": 5000]
        for (name, length) in lengths {
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"reactor.dispatch","#
                    + #""params":{"reactor":"\#(name)","action":\#(length)}}"#)
            #expect(try await peer.nextValue()["result"]?["revision"] == 1)
        }
        for reactors in ["\"*\"", #"["short","long","blub","blob"]"#] {
            let name = reactors == "\"*\"" ? "a" : "b"
            peer.send(
                #"{"jsonrpc":"2.0","id":2,"method":"subscribe","#
                    + #""params":{"subscription":"\#(name)","reactor":\#(reactors)}}"#)
            // In order behind it.
            peer.send(#"{"jsonrpc":"2.0","id":3,"method":"unsubscribe","params":{"subscription":"\#(name)"}}"#)
            func nextAnswer() async throws -> JSONValue {
                while true {
                    let line = try await peer.nextValue()
                    if line["id"] != nil { return line }
                }
            }
            let result = try #require(try await nextAnswer()["result"])
            #expect(result["subscription"]?.string == name)
            let snapshot = try #require(result["snapshot"]?["reactors"])
            #expect(snapshot.object?.count == names.count)
            for name in names {
                #expect(snapshot[name]?["state"]?.string?.utf8.count == lengths[name] ?? 0)
                #expect(snapshot[name]?["revision"]?.int == (lengths[name] == nil ? 0 : 1))
            }
            let line = try await nextAnswer()
            #expect(line["id"] == 3 && line["result"] != nil)
        }
        await server.stop()
    }

    @Test("is written at most once for a client that requests it again and again and reads nothing")
    func flood() async throws {
        try await withBlob { server, path in
            let flooder = try SocketPeer(path: path)
            let count = 20
            let line = #"{"jsonrpc":"2.0","id":1,"method":"reactor.state","params":{"reactor":"blob"}}"# + "\n"
            // The server reads all of them at once.
            flooder.send(Array(String(repeating: line, count: count).utf8))
            func queued() async -> Int {
                await server.onLoop { server.server.sessions.all.map(\.output.queuedBytes).max() ?? 0 }
            }
            var most = 0
            for _ in 0..<20 {
                most = max(most, await queued())
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(most <= Self.length + Self.outboxBytes + 100_000, "\(most)")
            for _ in 0..<count {
                #expect(try await flooder.nextValue()["result"]?["revision"] == 1)
            }
        }
    }

    @Test("in a batch is in the response as often as it fits; the other calls get an error")
    func batch() async throws {
        try await withBlob { server, path in
            let peer = try SocketPeer(path: path)
            let request = #"{"jsonrpc":"2.0","id":1,"method":"reactor.state","params":{"reactor":"blob"}}"#
            peer.send("[" + Array(repeating: request, count: 64).joined(separator: ",") + "]")
            let answers = try #require(try await peer.nextValue().array)
            #expect(answers.count == 64)
            #expect(answers.count { $0["result"] != nil } == 1)
            #expect(answers.count { $0["error"]?["code"]?.int == ErrorCode.tooLarge.rawValue } == 63)
        }
    }
}
