import Rx
import RxAction
import RxHost
import RxJSON
import RxProtocol
import RxRecords
import TestSupport
import Testing

@testable import RxServer

/// What a client may see of the executions that a reactor's rules start, and of the reactor's values in messages.
///
/// Everybody may dispatch to `vault` and nobody may subscribe to it. A rule of it executes `seal` with the vault's
/// secret as input.
@Suite("Executions of rules", .countedApart)
struct RuleExecutionTests {
    private static let secret = "hunter2"

    /// Executes `seal` with each action but `"fail"`, with which a program fails.
    private final class Vault: ReactorEngine {
        private let host: Locked<Host?>

        init(_ host: Locked<Host?>) { self.host = host }

        func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
            JSONState(.string(RuleExecutionTests.secret))
        }

        func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
            if let message = input.action.value()["fail"]?.string {
                return completion(
                    ReactorFault(
                        .mutate, message, input: RawJSON(.string(RuleExecutionTests.secret)),
                        at: ProgramPlace(.rule(1), "mutation"), isPublic: message == "of the operator"))
            }
            if let host = host.withLock({ $0 }), let seal = host.registry["seal"] {
                let causes = Causes(.rule(reactor: "vault", rule: 0), after: EarlierCauses(input.causes))
                _ = host.submit(
                    seal, ExecutionRequest(input: RawJSON(.string(RuleExecutionTests.secret)), causes: causes))
            }
            completion(nil)
        }

        func replay(_: RawJSON) throws(ReactorFault) {}
        func stop(completion: @escaping @Sendable () -> Void) { completion() }
    }

    /// - Parameter failing: if given, what `seal` does first; its work is tried again.
    private static func server(
        _ host: Locked<Host?> = Locked(nil), failing: Observable<RawJSON>? = nil
    ) throws -> TestServer {
        var vault = ReactorDefinition(name: "vault", kind: "test", fingerprint: "vault", makeEngine: { Vault(host) })
        vault.access = Access(execute: .everyone, subscribe: .nobody, manage: .nobody)
        vault.lines = [
            "mutate[1]": SourceLine(file: "/etc/rxd/rxd.toml", line: 40),
            "mutate[1].mutation": SourceLine(file: "/etc/rxd/rxd.toml", line: 41),
        ]
        var seal = ActionDefinition(name: "seal", kind: "test", overlap: .join, fingerprint: "seal") { invocation in
            let attempt = invocation.attempt == 1 ? failing ?? .never() : .never()
            return attempt.startWith(RawJSON(invocation.attempt == 1 ? "sealed" : "again"))
        }
        if failing != nil { seal.retry = RetryPolicy(attempts: 2, delay: .milliseconds(1)) }
        seal.access = Access(execute: .only(users: [1001], groups: []), subscribe: .nobody, manage: .nobody)
        let open = ActionDefinition(name: "open", kind: "test", fingerprint: "open") { _ in .never() }
        let server = try TestServer(definitions: [seal, open], reactors: [vault], owner: Someone.ownerID)
        host.withLock { $0 = server.host }
        return server
    }

    private func ask(_ peer: MemoryPeer, _ method: String, _ params: String = "{}") async throws -> (String, JSONValue)
    {
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
        while true {
            let answer = try await peer.nextValue()
            guard answer["id"] != nil else { continue }
            return (answer["error"]?["data"]?["name"]?.string ?? "ok", answer["result"] ?? answer["error"] ?? .null)
        }
    }

    @Test("who may only dispatch does not see what the rule executed: not its input, its elements, nor its end")
    func hidden() async throws {
        let server = try Self.server()
        let outsider = server.connectInMemory(Someone.outsider.peer)
        #expect(try await ask(outsider, "reactor.dispatch", #"{"reactor":"vault","action":1}"#).0 == "ok")
        let record = try #require(server.host.log.executions().first)
        #expect(record.action == "seal" && record.input == RawJSON(.string(Self.secret)))
        let id = #""execution":"\#(record.id)""#
        for (method, params) in [
            ("execution.get", "{\(id)}"), ("execution.wait", "{\(id)}"), ("execution.cancel", "{\(id)}"),
            ("subscribe", #"{\#(id),"subscription":"s"}"#), ("subscribe", #"{"action":"seal","subscription":"s"}"#),
            ("action.describe", #"{"action":"seal"}"#),
        ] {
            let (word, answer) = try await ask(outsider, method, params)
            #expect(word == "forbidden" && !RawJSON(answer).text.contains(Self.secret), "\(method)")
        }
        #expect(try await ask(outsider, "execution.list").1["executions"] == [])
        #expect(server.host.log.executions().first?.state == .executing)
        await server.stop()
    }

    @Test("who joins the rule's execution receives its elements, which the action grants, but not its record")
    func joined() async throws {
        let server = try Self.server()
        let named = server.connectInMemory(Someone.named.peer)
        #expect(try await ask(named, "reactor.dispatch", #"{"reactor":"vault","action":1}"#).0 == "ok")
        let (word, answer) = try await ask(named, "action.execute", #"{"action":"seal","input":2,"stream":"s"}"#)
        #expect(word == "ok" && answer["disposition"] == "joined")
        let event = try await named.nextValue()
        #expect(event["params"]?["value"] == "sealed")
        let id = try #require(answer["execution"]?.string)
        for method in ["execution.get", "execution.cancel"] {
            #expect(try await ask(named, method, #"{"execution":"\#(id)"}"#).0 == "forbidden", "\(method)")
        }
        await server.stop()
    }

    @Test("who joins the rule's execution does not see the records of its attempts either, neither past nor later ones")
    func joinedRetry() async throws {
        let failure = PublishSubject<RawJSON>()
        let server = try Self.server(failing: failure.asObservable())
        let named = server.connectInMemory(Someone.named.peer)
        #expect(try await ask(named, "reactor.dispatch", #"{"reactor":"vault","action":1}"#).0 == "ok")
        func join(_ peer: MemoryPeer) async throws {
            let (word, answer) = try await ask(peer, "action.execute", #"{"action":"seal","input":2,"stream":"s"}"#)
            #expect(word == "ok" && answer["disposition"] == "joined")
        }
        func expect(_ value: JSONValue, on peer: MemoryPeer) async throws {
            let event = try await peer.nextValue()["params"]
            #expect(event?["channel"] == "elements" && event?["value"] == value)
            #expect(!RawJSON(event ?? .null).text.contains(Self.secret))
        }
        try await join(named)
        try await expect("sealed", on: named)
        failure.onError(WorkFailure(message: "no"))
        try await expect("again", on: named)
        let late = server.connectInMemory(Someone.named.peer)
        try await join(late)
        try await expect("sealed", on: late)
        try await expect("again", on: late)
        await server.stop()
    }

    @Test("the owner sees the chain in the record, in the list, and in events, as the protocol describes it")
    func shown() async throws {
        let server = try Self.server()
        let owner = server.connectInMemory(Someone.owner.peer)
        #expect(
            try await ask(owner, "subscribe", #"{"action":"seal","subscription":"s","channels":["executions"]}"#).0
                == "ok")
        let outsider = server.connectInMemory(Someone.outsider.peer)
        #expect(try await ask(outsider, "reactor.dispatch", #"{"reactor":"vault","action":1}"#).0 == "ok")
        let event = try await owner.nextValue()
        let rule: JSONValue = ["reactor": "vault", "rule": 0]
        let user: JSONValue = ["uid": 2001, "gid": 1001, "pid": 7]
        #expect(event["params"]?["value"]?["by"] == rule)
        #expect(event["params"]?["value"]?["causes"] == [rule, user])
        let id = try #require(event["params"]?["execution"]?.string)
        let record = try await ask(owner, "execution.get", #"{"execution":"\#(id)"}"#).1
        #expect(record["causes"] == [rule, user] && record["causesOmitted"] == nil)
        #expect(try ProtocolSchemas.faults(ofResult: record, of: .executionGet) == [])
        #expect(try await ask(owner, "execution.list").1["executions"]?[0]?["causes"] == [rule, user])
        await server.stop()
    }

    @Test("a fault names rule, file, and line; its values are for subscribers, and the operator's text for everybody")
    func faults() async throws {
        let server = try Self.server()
        let place = "/etc/rxd/rxd.toml:41: mutate[1].mutation: "
        func dispatch(_ someone: Someone, _ message: String) async throws -> JSONValue {
            let peer = server.connectInMemory(someone.peer)
            let (word, error) = try await ask(
                peer, "reactor.dispatch", #"{"reactor":"vault","action":{"fail":"\#(message)"}}"#)
            #expect(word == "workFailed")
            #expect(error["data"]?["rule"] == 1 && error["data"]?["program"] == "mutation")
            #expect(error["data"]?["file"] == "/etc/rxd/rxd.toml" && error["data"]?["line"] == 41)
            #expect(try ProtocolSchemas.faults(ofError: error) == [])
            return error
        }
        let owner = try await dispatch(.owner, "Cannot index hunter2")
        #expect(owner["message"]?.string == place + "Cannot index hunter2")
        #expect(owner["data"]?["input"]?.string == Self.secret)
        let outsider = try await dispatch(.outsider, "Cannot index hunter2")
        #expect(outsider["message"]?.string?.hasPrefix(place + "failed; ") == true)
        #expect(!RawJSON(outsider).text.contains(Self.secret))
        let text = try await dispatch(.outsider, "of the operator")
        #expect(text["message"]?.string == place + "of the operator" && text["data"]?["input"] == nil)
        await server.stop()
    }

    @Test("a condition's error has values only for those who may subscribe to its reactor, wherever it is sent")
    func conditions() async throws {
        let server = try Self.server()
        let open = try #require(server.host.registry["open"])
        let (full, plain) = ("rxd.toml:7: enabled.when: Cannot index hunter2", "rxd.toml:7: enabled.when: failed")
        for (someone, error) in [(Someone.outsider, plain), (.owner, full)] {
            server.host.set(unmet: nil, of: open)
            let peer = server.connectInMemory(someone.peer)
            let subscribe = #"{"action":"open","subscription":"s","channels":["enabled","errors"]}"#
            #expect(try await ask(peer, "subscribe", subscribe).0 == "ok")
            server.host.set(
                unmet: UnmetCondition(reactor: "vault", when: ".open", error: full, publicError: plain), of: open)
            let level = try await peer.nextValue()
            #expect(level["params"]?["value"]?["reason"]?["error"]?.string == error, "\(someone)")
            let second = server.connectInMemory(someone.peer)
            let described = try await ask(second, "action.describe", #"{"action":"open"}"#).1
            #expect(described["reason"]?["error"]?.string == error && described["reason"]?["when"] == ".open")
            #expect(try await ask(second, "action.list").1["actions"]?[0]?["reason"]?["error"]?.string == error)
            for method in ["action.execute", "action.check"] {
                let refused = try await ask(second, method, #"{"action":"open"}"#).1
                #expect(refused["data"]?["reason"]?["error"]?.string == error, "\(method)")
            }
            let refusal = try await peer.nextValue()
            #expect(refusal["params"]?["error"]?["data"]?["reason"]?["error"]?.string == error)
            let snapshot = try await ask(second, "subscribe", subscribe).1["snapshot"]
            #expect(snapshot?["actions"]?["open"]?["reason"]?["error"]?.string == error)
            let start = #""from":{"cursor":"\#(server.host.epoch):0"}"#
            let again = #"{"action":"open","subscription":"r","channels":["errors"],\#(start)}"#
            #expect(try await ask(second, "subscribe", again).0 == "ok")
            let missed = try await second.nextValue()
            #expect(missed["params"]?["error"]?["data"]?["reason"]?["error"]?.string == error)
        }
        await server.stop()
    }

    @Test("the journal has the origin and all causes of an execution that ended")
    func journal() {
        let book = LogBook()
        var causes = Causes(.peer(uid: 1000, gid: 100, pid: 42))
        for rule in 0..<40 { causes = Causes(.rule(reactor: "r", rule: rule), after: EarlierCauses(causes)) }
        for causes in [causes, Causes(.peer(uid: 7, gid: 8, pid: 9))] {
            book.logger.log(
                ending: ExecutionRecord(
                    id: .init(), action: "seal", causes: causes, state: .completed, queuedAt: 1, elements: 0))
        }
        let fields = book.all.map(\.fields)
        #expect(fields[0]["origin"] == "uid 1000" && fields[0]["peer-uid"] == nil)
        #expect(fields[0]["causes"]?.hasPrefix(#"[{"reactor":"r","rule":39},{"reactor":"r","rule":38},"#) == true)
        #expect(fields[0]["causes"]?.hasSuffix(#"{"uid":1000,"gid":100,"pid":42}]"#) == true)
        #expect(fields[0]["causes-omitted"] == "9")
        #expect(fields[1]["origin"] == "uid 7" && fields[1]["peer-uid"] == "7")
        #expect(fields[1]["causes"] == #"[{"uid":7,"gid":8,"pid":9}]"# && fields[1]["causes-omitted"] == nil)
    }
}
