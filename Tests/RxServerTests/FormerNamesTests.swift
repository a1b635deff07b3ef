import RxHost
import RxJSON
import RxRecords
import RxStore
import TestSupport
import Testing

@testable import RxServer

/// Events of reactors and streams that are no longer configured, and of actions that were only refused.
@Suite("Events of names that were removed", .countedApart)
struct FormerNamesTests {
    private static var fail: ActionDefinition {
        var definition = Builtin.fail.definition(name: "fail")
        definition.keepsHistory = true
        return definition
    }

    private static var guarded: ActionDefinition {
        var definition = Builtin.echo.definition(name: "guarded")
        definition.keepsHistory = true
        definition.access = .guarded
        return definition
    }

    /// Reads the errors of all names of a kind from the start, up to the first one that happens now.
    ///
    /// - Parameter happen: has an error happen to the name `present`.
    /// - Returns: the names in the snapshot, and those that have had the errors.
    private func read(
        _ server: TestServer, _ kind: String, as someone: Someone, _ happen: () async throws -> Void
    ) async throws -> (snapshot: [String], failed: [String]) {
        let peer = server.connectInMemory(someone.peer)
        defer { peer.vanish() }
        peer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","\#(kind)":"*","#
                + #""channels":["errors"],"from":"start"}}"#)
        let answer = try #require(try await peer.nextValue()["result"])
        let cursor = server.host.log.cursor
        try await happen()
        var failed: [String] = []
        while true {
            let event = try #require(try await peer.nextValue()["params"])
            guard event["channel"] == "errors" else { continue }
            failed.append(event[kind]?.string ?? "")
            let number = event["cursor"]?.string?.split(separator: ":").last.flatMap { UInt64($0) }
            if try #require(number) > cursor { break }
        }
        return (answer["snapshot"]?["\(kind)s"]?.object?.map(\.key).sorted() ?? [], failed)
    }

    private func call(_ server: TestServer, _ method: String, _ params: String) async throws {
        let peer = server.connectInMemory(Someone.root.peer)
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
        _ = try await peer.nextValue()
        peer.vanish()
    }

    @Test("of a reactor reach readers of all who may read it, and root alone after a restart")
    func reactor() async throws {
        let file = try ServedFile()
        var store = try file.open()
        let (present, gone) = (TestServer.lamp("present"), TestServer.lamp("gone", access: .guarded))
        var server = try TestServer(reactors: [present, gone], owner: Someone.ownerID, store: store)
        func breakLamp(_ name: String) async throws {
            try await call(server, "reactor.dispatch", #"{"reactor":"\#(name)","action":"break"}"#)
        }
        func read(_ someone: Someone) async throws -> (snapshot: [String], failed: [String]) {
            try await self.read(server, "reactor", as: someone) { try await breakLamp("present") }
        }
        // The answer may come before the event, which the removal would leave out.
        let watcher = server.connectInMemory(Someone.root.peer)
        watcher.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"subscription":"s","reactor":"gone","#
                + #""channels":["errors"]}}"#)
        #expect(try await watcher.nextValue()["result"] != nil)
        try await breakLamp("gone")
        #expect(try await watcher.nextValue()["params"]?["channel"] == "errors")
        watcher.vanish()
        server.host.reload([], reactors: [present])
        var found = try await read(.member)
        #expect(found.snapshot == ["present"] && found.failed == ["gone", "present"])
        #expect(try await read(.outsider).failed == ["present", "present"])
        // One that is configured again has its earlier events.
        server.host.reload([], reactors: [present, gone])
        found = try await read(.member)
        #expect(found.snapshot == ["gone", "present"])
        #expect(found.failed == ["gone", "present", "present", "present"])
        await server.stop()
        store.close()
        store = try file.open()
        defer { store.close() }
        server = try TestServer(reactors: [present], owner: Someone.ownerID, store: store)
        for someone in [Someone.root, .owner] {
            found = try await read(someone)
            #expect(found.snapshot == ["present"] && found.failed.count { $0 == "gone" } == 1)
        }
        #expect(try await !read(.member).failed.contains("gone"))
        await server.stop()
    }

    @Test("of a stream reach readers of all who could read it, and root alone after a restart")
    func stream() async throws {
        let file = try ServedFile()
        var store = try file.open()
        var present = TestStream("present", persists: true)
        let gone = TestStream("gone", related: ["guarded"], persists: true)
        var server = try TestServer(
            definitions: [Self.guarded], streams: [present, gone], owner: Someone.ownerID, store: store)
        func read(_ someone: Someone) async throws -> (snapshot: [String], failed: [String]) {
            try await self.read(server, "stream", as: someone) {
                present.inject(RawJSON("break"), causes: Causes(.host))
            }
        }
        gone.inject(RawJSON("break"), causes: Causes(.host))
        // Its action goes with it.
        server.host.reload([])
        server.setStreams([present])
        let found = try await read(.member)
        #expect(found.snapshot == ["present"] && found.failed == ["gone", "present"])
        #expect(try await read(.outsider).failed == ["present", "present"])
        await server.stop()
        store.close()
        store = try file.open()
        defer { store.close() }
        present = TestStream("present", persists: true)
        server = try TestServer(definitions: [], streams: [present], owner: Someone.ownerID, store: store)
        #expect(try await read(.root).failed.first == "gone")
        #expect(try await !read(.member).failed.contains("gone"))
        await server.stop()
    }

    @Test("of an action that has only refused inputs reach readers of all after a restart")
    func refusals() async throws {
        let file = try ServedFile()
        var store = try file.open()
        var server = try TestServer(definitions: [Self.fail, Self.guarded], owner: Someone.ownerID, store: store)
        func read(_ someone: Someone) async throws -> [String] {
            try await self.read(server, "action", as: someone) {
                try await call(server, "action.execute", #"{"action":"fail"}"#)
            }.failed
        }
        try await call(server, "action.disable", #"{"action":"guarded"}"#)
        try await call(server, "action.execute", #"{"action":"guarded","input":1}"#)
        #expect(try await read(.owner) == ["guarded", "fail"])
        await server.stop()
        store.close()
        store = try file.open()
        defer { store.close() }
        server = try TestServer(definitions: [Self.fail], owner: Someone.ownerID, store: store)
        #expect(try await read(.owner) == ["guarded", "fail", "fail"])
        #expect(try await read(.member) == ["fail", "fail", "fail"])
        await server.stop()
    }
}
