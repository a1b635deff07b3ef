import Glibc
import Rx
import RxHost
import RxJSON
import RxRecords
import TestSupport
import Testing

@testable import RxServer

/// Lists and descriptions of what is configured.
@Suite("A list of what is configured", .ownThreads)
struct LongListTests {
    @Test(
        "is written by a thread for requests if it is long, and the requests after it are answered after it",
        arguments: [
            ("action.list", "{}"), ("action.list", #"{"levels":true,"ends":["echo"]}"#),
            ("stream.list", "{}"), ("stream.list", #"{"graph":true}"#), ("stream.describe", #"{"stream":"s0"}"#),
            ("action.describe", #"{"action":"echo"}"#),
        ])
    func beside(method: String, params: String) async throws {
        let actions = (0..<50).map { number in
            var action = Builtin.echo.definition(name: number == 0 ? "echo" : "echo\(number)")
            action.summary = String(repeating: "d", count: 5000)
            return action
        }
        let server = try TestServer(definitions: actions)
        let streams = (0..<50).map { TestStream("s\($0)") }
        server.setStreams(streams)
        let loop = await server.onLoop { pthread_self() }
        let peer = server.connectInMemory()
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
        peer.send(#"{"jsonrpc":"2.0","id":2,"method":"server.hello","params":{"protocol":"rx/1"}}"#)
        let answer = try await peer.nextValue()
        #expect(answer["id"] == 1)
        let result = try #require(answer["result"])
        if method.hasSuffix("list") {
            #expect(result[method.hasPrefix("action") ? "actions" : "streams"]?.array?.count == 50)
        }
        #expect(try await peer.nextValue()["id"] == 2)
        let readers = streams.reduce(into: Set<pthread_t>()) { all, stream in
            all.formUnion(stream.readers.withLock { $0 })
        }
        #expect(!readers.isEmpty)
        #expect(!readers.contains(loop))
        await server.stop()
    }

    @Test(
        "is written by a thread for requests if it is short, but many streams start its actions",
        arguments: [
            ("action.list", "{}"), ("action.list", #"{"levels":true}"#), ("action.describe", #"{"action":"echo"}"#),
        ])
    func manyStreams(method: String, params: String) async throws {
        let server = try TestServer(definitions: [Builtin.echo.definition(name: "echo")])
        let streams = (0..<50).map { TestStream("s\($0)") }
        server.setStreams(streams)
        let loop = await server.onLoop { pthread_self() }
        let peer = server.connectInMemory()
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
        #expect(try await peer.nextValue()["result"] != nil)
        let readers = streams.reduce(into: Set<pthread_t>()) { all, stream in
            all.formUnion(stream.readers.withLock { $0 })
        }
        #expect(!readers.isEmpty && !readers.contains(loop))
        await server.stop()
    }

    @Test("of one action looks at the rights to the streams alone that start it")
    func otherStreams() async throws {
        let server = try TestServer(definitions: ["echo", "other"].map { Builtin.echo.definition(name: $0) })
        let streams = (0..<50).map { TestStream("s\($0)") }
        server.setStreams(streams)
        let peer = server.connectInMemory(uid: getuid() + 1)
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.describe","params":{"action":"other"}}"#)
        #expect(try await peer.nextValue()["result"] != nil)
        #expect(streams.allSatisfy { $0.lookups.withLock { $0 } == 0 && $0.readers.withLock { $0.isEmpty } })
        await server.stop()
    }

    @Test("is written at once if it is short")
    func short() async throws {
        let server = try TestServer(definitions: [Builtin.echo.definition(name: "echo")])
        let stream = TestStream("s")
        server.setStreams([stream])
        let loop = await server.onLoop { pthread_self() }
        let peer = server.connectInMemory()
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.list"}"#)
        #expect(try await peer.nextValue()["result"]?["actions"]?.array?.count == 1)
        #expect(stream.readers.withLock { $0 } == [loop])
        await server.stop()
    }
}
