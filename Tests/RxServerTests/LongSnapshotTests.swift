import Glibc
import Rx
import RxHost
import RxJSON
import RxRecords
import TestSupport
import Testing

@testable import RxServer

/// Snapshots of many streams, actions, or executions.
@Suite("A long snapshot", .ownThreads)
struct LongSnapshotTests {
    private static let request = #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":"#
    private static let hello = #"{"jsonrpc":"2.0","id":2,"method":"server.hello","params":{"protocol":"rx/1"}}"#

    private func subscribe(_ peer: MemoryPeer, _ target: String = #""stream":"*""#) {
        peer.send(Self.request + #"{"subscription":"s",\#(target)}}"#)
        peer.send(Self.hello)
    }

    private func streams(_ count: Int) -> [TestStream] { (0..<count).map { TestStream("s\($0)") } }

    @Test("is written by a thread for requests, and the requests after it are answered after it")
    func beside() async throws {
        let server = try TestServer()
        let streams = streams(50)
        server.setStreams(streams)
        let loop = await server.onLoop { pthread_self() }
        let peer = server.connectInMemory()
        subscribe(peer)
        let answer = try await peer.nextValue()
        #expect(answer["id"] == 1 && answer["result"]?["snapshot"]?["streams"]?.object?.count == 50)
        #expect(try await peer.nextValue()["id"] == 2)
        let readers = streams.reduce(into: Set<pthread_t>()) { all, stream in
            all.formUnion(stream.readers.withLock { $0 })
        }
        #expect(!readers.isEmpty && !readers.contains(loop))
        await server.stop()
    }

    @Test("is written at once if it is short")
    func short() async throws {
        let server = try TestServer()
        let stream = TestStream("s")
        server.setStreams([stream])
        let loop = await server.onLoop { pthread_self() }
        let peer = server.connectInMemory()
        subscribe(peer)
        #expect(try await peer.nextValue()["id"] == 1)
        #expect(stream.readers.withLock { $0 } == [loop])
        await server.stop()
    }

    @Test("is followed by the events that came while it was written, each once")
    func events() async throws {
        let server = try TestServer()
        let streams = streams(50)
        server.setStreams(streams)
        streams[7].onSummary.withLock { hook in
            hook = { for number in 0..<3 { streams[0].inject(RawJSON("\(number)"), causes: Causes(.host)) } }
        }
        let peer = server.connectInMemory()
        subscribe(peer)
        #expect(try await peer.nextValue()["id"] == 1)
        streams[0].inject(RawJSON("3"), causes: Causes(.host))
        var values: [JSONValue] = []
        var count = 0
        while values.count < 4 {
            let value = try await peer.nextValue()
            guard let event = value["params"] else { continue }
            count += 1
            #expect(event["seq"]?.int == count)
            if event["channel"] == "elements" { values.append(event["value"] ?? .null) }
        }
        #expect(values == ["0", "1", "2", "3"])
        await server.stop()
    }

    @Test("is written again if a reload changes what the client may see meanwhile")
    func reload() async throws {
        let server = try TestServer()
        let streams = streams(50)
        server.setStreams(streams)
        streams[7].onSummary.withLock { hook in
            hook = { server.setStreams(Array(streams.dropLast())) }
        }
        let peer = server.connectInMemory()
        subscribe(peer)
        let answer = try await peer.nextValue()
        #expect(answer["id"] == 1 && answer["result"]?["snapshot"]?["streams"]?.object?.count == 49)
        #expect(try await peer.nextValue()["id"] == 2)
        streams[3].inject(RawJSON("1"), causes: Causes(.host))
        #expect(try await peer.nextValue()["params"]?["seq"] == 1)
        await server.stop()
    }

    @Test("of named streams is refused if a reload takes one of them away meanwhile")
    func removed() async throws {
        let server = try TestServer()
        let streams = streams(20)
        server.setStreams(streams)
        streams[7].onSummary.withLock { hook in
            hook = { server.setStreams(Array(streams.dropLast())) }
        }
        let peer = server.connectInMemory()
        let names = streams.map { "\"\($0.name)\"" }.joined(separator: ",")
        subscribe(peer, #""stream":[\#(names)]"#)
        let answer = try await peer.nextValue()
        #expect(answer["id"] == 1 && answer["error"]?["data"]?["name"] == "notFound")
        #expect(try await peer.nextValue()["id"] == 2)
        await server.stop()
    }

    @Test("looks at what each stream depends on a few times, however many there are", arguments: [10, 100])
    func rights(_ count: Int) async throws {
        let server = try TestServer(definitions: ForbiddenTests.definitions(), owner: Someone.ownerID)
        let access = Access(execute: .nobody, subscribe: .everyone, manage: .nobody)
        let streams = (0..<count).map { TestStream("s\($0)", access: access, related: ["secret"]) }
        server.setStreams(streams)
        let peer = server.connectInMemory(Someone.member.peer)
        subscribe(peer)
        let answer = try await peer.nextValue()
        #expect(answer["result"]?["snapshot"]?["streams"]?.object?.count == count)
        #expect(
            streams.allSatisfy { (1...6).contains($0.lookups.withLock { $0 }) }, "\(streams[0].lookups.withLock { $0 })"
        )
        await server.stop()
    }
}
