import RxStore
import Glibc
import Rx
import RxAction
import RxHost
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxServer

/// Rights as clients meet them, method by method. `guarded` is for some, `secret` for owner and root, `open` for all.
@Suite("What a client may not do", .countedApart)
struct ForbiddenTests {
    static func definitions(guarded: Access = .guarded) -> [ActionDefinition] {
        [
            ("guarded", guarded), ("secret", Access(execute: .nobody, subscribe: .nobody, manage: .nobody)),
            ("open", Access()),
        ]
        .map { name, access in
            var definition = ActionDefinition(
                name: name, kind: "test", overlap: .concurrent(limit: 100), fingerprint: "\(name) \(access)"
            ) { _ in .never() }
            definition.access = access
            return definition
        }
    }

    private func server(managers: Access = Access(), store: ExecutionStore? = nil) throws -> TestServer {
        try TestServer(definitions: Self.definitions(), owner: Someone.ownerID, managers: managers, store: store)
    }

    /// Sends a request and returns "ok" or the error's name, and the response.
    private func ask(_ peer: MemoryPeer, _ method: String, _ params: String = "{}") async throws -> (String, JSONValue)
    {
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
        while true {
            let answer = try await peer.nextValue()
            guard answer["id"] != nil else { continue }
            return (answer["error"]?["data"]?["name"]?.string ?? "ok", answer["result"] ?? answer["error"] ?? .null)
        }
    }

    private func start(_ peer: MemoryPeer, _ action: String = "guarded") async throws -> String {
        let stream = "s\(UInt32.random(in: 0...UInt32.max))"
        let (word, answer) = try await ask(peer, "action.execute", #"{"action":"\#(action)","stream":"\#(stream)"}"#)
        #expect(word == "ok")
        return try #require(answer["execution"]?.string)
    }

    @Test("each method on an action, by each kind of client")
    func actions() async throws {
        let server = try server()
        let expected: [Someone: (execute: Bool, subscribe: Bool, manage: Bool)] = [
            .root: (true, true, true), .owner: (true, true, true), .named: (true, false, false),
            .member: (true, true, false), .primary: (true, true, false), .operator_: (false, false, true),
            .outsider: (false, false, false),
        ]
        for (someone, may) in expected {
            let peer = server.connectInMemory(someone.peer)
            func expect(_ method: String, _ params: String, _ isAllowed: Bool) async throws {
                let (word, answer) = try await ask(peer, method, params)
                #expect(word == (isAllowed ? "ok" : "forbidden"), "\(someone) \(method)")
                guard !isAllowed else { return }
                #expect(answer["code"] == -32007 && answer["data"]?["action"] == "guarded")
                #expect(answer["data"]?["uid"]?.int == Int(someone.peer.uid))
            }
            let isAny = may.execute || may.subscribe || may.manage
            try await expect("action.execute", #"{"action":"guarded","stream":"x"}"#, may.execute)
            try await expect("action.check", #"{"action":"guarded"}"#, may.execute)
            try await expect("action.describe", #"{"action":"guarded"}"#, isAny)
            try await expect("subscribe", #"{"action":["open","guarded"],"subscription":"a"}"#, may.subscribe)
            try await expect("action.disable", #"{"action":"guarded"}"#, may.manage)
            try await expect("action.enable", #"{"action":"guarded"}"#, may.manage)
            try await expect("execution.list", #"{"action":"guarded"}"#, isAny)
            // Pending until it is idle where it is allowed.
            if !isAny { try await expect("execution.wait", #"{"action":"guarded"}"#, false) }
            let isMaster = someone == .root || someone == .owner
            for (method, params) in [
                ("action.describe", #"{"action":"secret"}"#), ("execution.list", #"{"action":["open","secret"]}"#),
                ("action.execute", #"{"action":"secret","stream":"y"}"#),
            ] {
                let (word, _) = try await ask(peer, method, params)
                #expect(word == (isMaster ? "ok" : "forbidden"), "\(someone) \(method)")
            }
        }
        await server.stop()
    }

    @Test("a list shows the actions one has a right on, and which right")
    func lists() async throws {
        let server = try server()
        let all: JSONValue = ["read", "subscribe", "execute", "manage"]
        let open: JSONValue = ["read", "subscribe", "execute"]
        let expected: [Someone: [String: JSONValue]] = [
            .root: ["guarded": all, "open": all, "secret": all], .owner: ["guarded": all, "open": all, "secret": all],
            .named: ["guarded": ["read", "execute"], "open": open], .member: ["guarded": open, "open": open],
            .primary: ["guarded": open, "open": open], .operator_: ["guarded": ["read", "manage"], "open": open],
            .outsider: ["open": open],
        ]
        for (someone, actions) in expected {
            let peer = server.connectInMemory(someone.peer)
            let listed = try await ask(peer, "action.list").1["actions"]?.array ?? []
            let found = listed.map { ($0["action"]?.string ?? "", $0["rights"] ?? .null) }
            #expect(Dictionary(uniqueKeysWithValues: found) == actions, "\(someone)")
            for (name, rights) in actions {
                #expect(try await ask(peer, "action.describe", #"{"action":"\#(name)"}"#).1["rights"] == rights)
            }
        }
        await server.stop()
    }

    @Test("every name one may subscribe to, and no other, is in \"*\"")
    func star() async throws {
        let server = try server()
        let expected: [Someone: [String]] = [
            .root: ["guarded", "open", "secret"], .member: ["guarded", "open"], .named: ["open"], .outsider: ["open"],
        ]
        for (someone, names) in expected {
            let peer = server.connectInMemory(someone.peer)
            let (_, answer) = try await ask(peer, "subscribe", #"{"action":"*","subscription":"a"}"#)
            #expect(answer["snapshot"]?["actions"]?.object?.map(\.key).sorted() == names, "\(someone)")
        }
        await server.stop()
    }

    @Test("action.cancel cancels what one may cancel, and is refused if that is nothing of what is in flight")
    func cancelAll() async throws {
        let server = try server()
        let (named, member) = (server.connectInMemory(Someone.named.peer), server.connectInMemory(Someone.member.peer))
        let ofNamed = [try await start(named), try await start(named)]
        let ofMember = try await start(member)
        func cancel(_ someone: Someone, _ action: String = "guarded") async throws -> (String, JSONValue) {
            let (word, answer) = try await ask(
                server.connectInMemory(someone.peer), "action.cancel", #"{"action":"\#(action)"}"#)
            return (word, answer["executions"] ?? answer)
        }
        #expect(try await cancel(.primary).0 == "forbidden", "it may not cancel those of others")
        #expect(try await cancel(.outsider).0 == "forbidden")
        #expect(try await cancel(.named) == ("ok", .array(ofNamed.map(JSONValue.string))))
        #expect(try await cancel(.operator_) == ("ok", [.string(ofMember)]))
        #expect(try await cancel(.operator_) == ("ok", []), "nothing is left")
        #expect(try await cancel(.root, "nosuch").0 == "notFound")
        await server.stop()
    }

    @Test("action.cancel cancels so many at once, the newest first, and reports that there are others")
    func cancelMany() async throws {
        var definition = ActionDefinition(
            name: "many", kind: "test", overlap: .concurrent(limit: 1000), fingerprint: "many"
        ) { _ in .never() }
        definition.access = Access()
        let server = try TestServer(definitions: [definition], owner: Someone.ownerID)
        let peer = server.connectInMemory(Someone.root.peer)
        let action = try #require(server.host.registry["many"])
        for _ in 0...ActionCancel.mostAtOnce {
            let request = ExecutionRequest(input: .null, by: Someone.root.origin)
            guard case .accepted = server.host.submit(action, request) else { return #expect(Bool(false)) }
        }
        let first = try await ask(peer, "action.cancel", #"{"action":"many"}"#).1
        #expect(first["executions"]?.array?.count == ActionCancel.mostAtOnce && first["truncated"] == true)
        let second = try await ask(peer, "action.cancel", #"{"action":"many"}"#).1
        #expect(second["executions"]?.array?.count == 1 && second["truncated"] == nil)
        await server.stop()
    }

    @Test(
        "the message names the right, and whom to ask",
        arguments: [
            (
                MissingRight("execute", action: "a"), "execute the action a: it lacks the right \"execute\"",
                "allow of [action.a]"
            ),
            (
                MissingRight("execute", reactor: "r"), "dispatch to the reactor r: it lacks the right \"execute\"",
                "allow of [reactor.r]"
            ),
            (
                MissingRight("execute", stream: "s"), "send to the stream s: it lacks the right \"execute\"",
                "allow of [stream.s]"
            ),
            (
                MissingRight("subscribe", action: "a"), "subscribe to the action a: it lacks the right \"subscribe\"",
                "allow of [action.a]"
            ),
            (MissingRight("read", action: "a"), "read the action a: it has no right", "allow of [action.a]"),
            (MissingRight("manage"), "manage the daemon: it lacks the right \"manage\"", "manage in [access]"),
            (
                MissingRight("cancel", action: "a", execution: "E"),
                "cancel the execution E of a: it lacks the right \"manage\"", "allow of [action.a]"
            ),
            (
                MissingRight("read", action: "a", execution: "E"),
                "read the execution E of a: it lacks the right \"subscribe\"", "allow of [action.a]"
            ),
        ])
    func messages(missing: MissingRight, lack: String, key: String) {
        #expect(missing.message(uid: 7, contact: nil) == "uid 7 may not \(lack); \(key) grants it")
        #expect(missing.message(uid: 7, contact: "ops@x") == "uid 7 may not \(lack); ask ops@x for it")
    }

    @Test("an execution: requesters see and cancel it, subscribers see it, managers cancel it")
    func executions() async throws {
        let server = try server()
        let requester = server.connectInMemory(Someone.named.peer)
        let master = server.connectInMemory(Someone.root.peer)
        for (someone, sees, cancels) in [
            (Someone.root, true, true), (.owner, true, true), (.named, true, true), (.member, true, false),
            (.primary, true, false), (.operator_, false, true), (.outsider, false, false),
        ] {
            let execution = try await start(requester)
            let peer = server.connectInMemory(someone.peer)
            let params = #"{"execution":"\#(execution)"}"#
            for method in ["execution.get", "execution.output"] {
                #expect(try await ask(peer, method, params).0 == (sees ? "ok" : "forbidden"), "\(someone) \(method)")
            }
            if !sees { #expect(try await ask(peer, "execution.wait", params).0 == "forbidden") }
            let listed = try await ask(peer, "execution.list").1["executions"]?.array ?? []
            #expect(listed.contains { $0["execution"]?.string == execution } == sees, "\(someone)")
            let (word, answer) = try await ask(peer, "execution.cancel", params)
            #expect(word == (cancels ? "ok" : "forbidden"), "\(someone)")
            // Who may not read it does not read it by canceling it.
            if cancels { #expect((answer["input"] != nil) == sees, "\(someone)") }
            if !cancels {
                #expect(answer["data"]?["execution"]?.string == execution && answer["data"]?["operation"] == "cancel")
                #expect(try await ask(master, "execution.get", params).1["state"] == "executing")
                #expect(try await ask(master, "execution.cancel", params).0 == "ok")
            }
        }
        await server.stop()
    }

    @Test("also in the history: a page has as many visible records as its limit allows")
    func history() async throws {
        var template = Array("/tmp/rxd-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
        try #require(made)
        let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let path = directory + "/rxd.db"
        func store() throws -> ExecutionStore { try ExecutionStore(path: path, onFailure: { Issue.record("\($0)") }) }
        // An earlier daemon, with executions of two users of an action, taking turns.
        let first = try store()
        let earlier = try server(store: first)
        let (named, member) = (
            earlier.connectInMemory(Someone.named.peer), earlier.connectInMemory(Someone.member.peer)
        )
        var own: [String] = []
        for _ in 0..<3 {
            own.append(try await start(named))
            _ = try await start(member)
        }
        await earlier.stop()
        first.close()
        let second = try store()
        let later = try server(store: second)
        later.host.resume()
        let peer = later.connectInMemory(Someone.named.peer)
        var found: [String] = []
        var before = ""
        for _ in 0..<2 {
            let (_, answer) = try await ask(peer, "execution.list", #"{"limit":2\#(before)}"#)
            let page = (answer["executions"]?.array ?? []).compactMap { $0["execution"]?.string }
            before = #","before":"\#(page.first ?? "")""#
            found = page + found
            #expect(answer["truncated"]?.bool == (found.count < 3))
        }
        #expect(found == own)
        let members = later.connectInMemory(Someone.member.peer)
        #expect(try await ask(members, "execution.list").1["executions"]?.array?.count == 6)
        let outsider = later.connectInMemory(Someone.outsider.peer)
        #expect(try await ask(outsider, "execution.list").1["executions"]?.array?.isEmpty == true)
        #expect(try await ask(outsider, "execution.get", #"{"execution":"\#(own[0])"}"#).0 == "forbidden")
        #expect(try await ask(peer, "execution.get", #"{"execution":"\#(own[0])"}"#).0 == "ok")
        #expect(try await ask(outsider, "execution.cancel", #"{"execution":"\#(own[0])"}"#).0 == "forbidden")
        await later.stop()
        second.close()
        for name in ["rxd.db", "rxd.db-wal", "rxd.db-shm", "rxd.db.lock"] { unlink(directory + "/" + name) }
        rmdir(directory)
    }

    @Test("the records of an action that is gone stay as guarded as it was")
    func gone() async throws {
        let server = try server()
        let execution = try await start(server.connectInMemory(Someone.named.peer))
        server.host.reload([])
        let params = #"{"execution":"\#(execution)"}"#
        for (someone, sees) in [(Someone.named, true), (.member, true), (.operator_, false), (.outsider, false)] {
            let peer = server.connectInMemory(someone.peer)
            for method in ["execution.get", "execution.output"] {
                #expect(try await ask(peer, method, params).0 == (sees ? "ok" : "forbidden"), "\(someone) \(method)")
            }
            let listed = try await ask(peer, "execution.list").1["executions"]?.array
            #expect(listed?.count == (sees ? 1 : 0), "\(someone)")
        }
        await server.stop()
    }

    @Test("a reload is for managers of the server")
    func reload() async throws {
        let server = try server(managers: .guarded)
        for someone in Someone.allCases {
            let may = [.root, .owner, .operator_].contains(someone)
            let peer = server.connectInMemory(someone.peer)
            for params in ["{}", #"{"dryRun":true}"#] {
                let word = try await ask(peer, "server.reload", params).0
                #expect(word == (may ? "featureMissing" : "forbidden"), "\(someone)")
            }
            for method in ["server.hello", "server.status", "rpc.discover"] {
                #expect(try await ask(peer, method).0 == "ok", "\(someone) \(method)")
            }
        }
        await server.stop()
    }

    @Test("a new configuration holds for the next request of clients that are there already")
    func changes() async throws {
        let server = try server()
        let peer = server.connectInMemory(Someone.named.peer)
        let execute = #"{"action":"guarded","stream":"x"}"#
        _ = try await start(peer)
        server.host.reload(Self.definitions(guarded: Access(execute: .nobody, subscribe: .everyone)))
        #expect(try await ask(peer, "action.execute", execute).0 == "forbidden")
        #expect(try await ask(peer, "action.describe", #"{"action":"guarded"}"#).1["rights"] == ["read", "subscribe"])
        server.host.reload(Self.definitions())
        _ = try await start(peer)
        await server.stop()
    }
}
