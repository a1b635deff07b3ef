import RxHost
import RxJSON
import RxProtocol
import RxRecords
import TestSupport
import Testing

@testable import RxServer

/// `stream.list` with `graph`: what clients with different rights see of the structure of a stream.
@Suite("The graph of streams", .ownThreads)
struct StreamGraphTests {
    /// `watch` executes `guarded` and reads `secret`; `open` is the only action that everyone may see.
    private func server(granting access: Access?) throws -> TestServer {
        let server = try TestServer(definitions: ForbiddenTests.definitions(), owner: Someone.ownerID)
        server.host.streams = ["watch": DrawnStream(related: ["guarded", "open", "secret"], access: access)]
        return server
    }

    private func list(_ server: TestServer, as someone: Someone, _ params: String) async throws -> JSONValue {
        let peer = server.connectInMemory(someone.peer)
        let request = #"{"jsonrpc":"2.0","id":1,"method":"stream.list","params":\#(params)}"#
        var check = MessageCheck()
        check.send(request)
        peer.send(request)
        let answer = try await peer.nextValue()
        #expect(try check.receive(answer) == [])
        return answer["result"] ?? .null
    }

    @Test("is there only for those who ask for it")
    func absent() async throws {
        let server = try server(granting: nil)
        let result = try await list(server, as: .owner, "{}")
        #expect(result["streams"]?.array?.count == 1)
        #expect(result["streams"]?.array?.first?["graph"] == nil)
        #expect(result["actions"] == nil)
        #expect(result["reactors"] == nil)
        await server.stop()
    }

    @Test("has all names and texts for those who may see all parts")
    func complete() async throws {
        let server = try server(granting: nil)
        let result = try await list(server, as: .owner, #"{"graph":true}"#)
        #expect(result["streams"]?.array?.first?["source"] == "path /srv")
        #expect(result["streams"]?.array?.first?["targets"] == ["guarded", "open", "secret"])
        let graph = try #require(result["streams"]?.array?.first?["graph"])
        #expect(graph["targets"]?.array?.compactMap { $0["name"]?.string } == ["guarded", "open", "secret"])
        #expect(graph["sources"]?.array?.first?["value"] == "/srv")
        #expect(
            result["actions"]?.array?.compactMap { $0["action"]?.string } == ["guarded", "open", "secret"])
        #expect(result["actions"]?.array?.first?["enabled"] == true)
        await server.stop()
    }

    @Test("leaves out names and texts for those who may see the stream only because the configuration allows it")
    func redacted() async throws {
        let server = try server(granting: Access(execute: .nobody, subscribe: .everyone, manage: .nobody))
        for (someone, names) in [(Someone.outsider, ["open"]), (.operator_, ["guarded", "open"])] {
            let result = try await list(server, as: someone, #"{"graph":true}"#)
            let graph = try #require(result["streams"]?.array?.first?["graph"])
            #expect(graph["targets"]?.array?.compactMap { $0["name"]?.string } == names)
            #expect(graph["sources"]?.array?.first?["value"] == "")
            #expect(graph["sources"]?.array?.first?["key"] == "path")
            #expect(result["streams"]?.array?.first?["source"] == "path")
            #expect(result["streams"]?.array?.first?["targets"] == .array(names.map { .string($0) }))
            #expect(result["actions"]?.array?.compactMap { $0["action"]?.string } == names)
        }
        await server.stop()
    }

    @Test("has no stream for those who may not see it")
    func hidden() async throws {
        let server = try server(granting: nil)
        let result = try await list(server, as: .outsider, #"{"graph":true}"#)
        #expect(result["streams"] == [])
        #expect(result["actions"]?.array?.compactMap { $0["action"]?.string } == ["open"])
        await server.stop()
    }
}

/// A stream that has all that it relates to as its targets.
private final class DrawnStream: HostedStream {
    let name = "watch"
    let related: Set<String>
    let access: Access?
    let readsMachine = false
    let isSubject = false
    let isPersistent = false
    let places = ["0"]
    var targets: [String] { related.sorted() }

    init(related: Set<String>, access: Access?) {
        self.related = related
        self.access = access
    }

    var summary: JSONObject {
        [
            "stream": "watch", "description": .null, "source": "path /srv",
            "targets": .array(targets.map { .string($0) }), "state": "running", "taken": 0, "emitted": 0,
            "failures": 0, "lost": 0, "persist": false,
        ]
    }

    var details: JSONObject { summary }

    func graph(for view: StreamView) -> JSONObject {
        let targets = related.sorted().filter(view.shows).map { name -> JSONValue in
            ["kind": "action", "name": .string(name), "refused": 0]
        }
        let source: JSONValue = [
            "step": "0", "place": "1", "key": "path", "value": view.showsTexts ? "/srv" : "", "references": [],
        ]
        return ["inline": false, "seconds": 1, "sources": [source], "steps": [], "targets": .array(targets)]
    }

    func inject(_ value: RawJSON?, causes: Causes) {}
    func tap(_ place: String, _ body: (@Sendable (RawJSON, Int64) -> Void)?) {}
    var disabledReason: String? { nil }
    func set(_ manual: ManualSwitch?) {}
}
