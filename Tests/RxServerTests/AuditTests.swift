import Logging
import Rx
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxHost
@testable import RxServer

/// Collects log records.
final class LogBook: Sendable {
    struct Entry: Sendable {
        let message: String
        let level: Logger.Level
        let fields: [String: String]
    }

    private let entries = Locked<[Entry]>([])

    func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }

    var all: [Entry] { entries.withLock { $0 } }

    /// Audit records only.
    var audit: [Entry] { entries.withLock { $0 }.filter { $0.fields["message-id"] == AuditRecord.messageID } }

    var logger: Logger { Logger(label: "test") { _ in Handler(book: self) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            book.add(
                Entry(
                    message: event.message.description, level: event.level,
                    fields: (event.metadata ?? [:]).mapValues(\.description)))
        }
    }
}

@Suite("The audit", .countedApart)
struct AuditTests {
    private let book = LogBook()

    private func server() throws -> TestServer {
        try TestServer(
            definitions: ForbiddenTests.definitions() + [
                Builtin.echo.definition(name: "echo"), Builtin.fail.definition(name: "fail"),
                Builtin.ticks.definition(name: "ticks"),
            ], owner: Someone.ownerID, logger: book.logger,
            onReload: { attempt in
                attempt.finish(attempt.dryRun ? .failure(.faults(["rxd.toml:1: x"])) : .success(RegistryChange()))
            })
    }

    private func ask(_ peer: MemoryPeer, _ method: String, _ params: String) async throws -> JSONValue {
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
        while true {
            let answer = try await peer.nextValue()
            if answer["id"] != nil { return answer["result"] ?? answer["error"] ?? .null }
        }
    }

    /// The records as "uid method action outcome", with the execution if there is one.
    private var lines: [String] {
        book.audit.map { entry in
            ["peer-uid", "method", "action", "execution", "outcome"].compactMap { entry.fields[$0] }.joined(
                separator: " ")
        }
    }

    @Test("logs effects with their method and their object")
    func effects() async throws {
        let server = try server()
        let named = server.connectInMemory(Someone.named.peer)
        let root = server.connectInMemory(Someone.root.peer)
        let answer = try await ask(named, "action.execute", #"{"action":"guarded","stream":"x"}"#)
        let id = try #require(answer["execution"]?.string)
        _ = try await ask(root, "execution.cancel", #"{"execution":"\#(id)"}"#)
        _ = try await ask(root, "action.disable", #"{"action":"guarded","reason":"the disk is full"}"#)
        _ = try await ask(named, "action.execute", #"{"action":"guarded"}"#)
        _ = try await ask(root, "action.enable", #"{"action":"guarded"}"#)
        _ = try await ask(root, "server.reload", "{}")
        _ = try await ask(root, "server.reload", #"{"dryRun":true}"#)
        _ = try await ask(named, "action.execute", #"{"action":"ticks","input":{"count":1,"interval":"1ms"}}"#)
        await server.stop()
        let ticks = try #require(book.audit.last?.fields["execution"])
        #expect(
            lines == [
                "1001 action.execute guarded \(id) started", "0 execution.cancel guarded \(id) done",
                "0 action.disable guarded done", "1001 action.execute guarded notEnabled",
                "0 action.enable guarded done",
                "0 server.reload done", "0 server.reload invalidParams", "1001 action.execute ticks \(ticks) started",
            ])
        #expect(book.audit.map(\.level) == [.info, .info, .info, .warning, .info, .info, .warning, .info])
        #expect(book.audit[0].message == "uid 1001, pid 3: action.execute guarded \(id): started")
        #expect(book.audit[2].message == "uid 0, pid 1: action.disable guarded: done: the disk is full")
    }

    @Test("does not log inline built-ins that succeed, nor reads; it logs those that fail")
    func inline() async throws {
        let server = try server()
        let peer = server.connectInMemory(Someone.outsider.peer)
        for params in [#"{"action":"echo"}"#, #"{"action":"echo","timeout":"1m"}"#, #"{"action":"echo","stream":"e"}"#]
        {
            _ = try await ask(peer, "action.execute", params)
        }
        for method in ["action.list", "execution.list", "server.status", "server.hello"] {
            _ = try await ask(peer, method, "{}")
        }
        _ = try await ask(peer, "action.check", #"{"action":"open"}"#)
        #expect(lines == [])
        for params in [#"{"action":"fail"}"#, #"{"action":"fail","timeout":"1m"}"#, #"{"action":"fail","stream":"f"}"#]
        {
            _ = try await ask(peer, "action.execute", params)
        }
        await server.stop()
        #expect(book.audit.count == 3)
        for entry in book.audit {
            #expect(entry.fields["outcome"] == "workFailed" && entry.fields["execution"] != nil)
            #expect(entry.fields["action"] == "fail" && entry.level == .warning)
        }
    }

    @Test("logs each forbidden attempt")
    func forbidden() async throws {
        let server = try server()
        let peer = server.connectInMemory(Someone.named.peer)
        let root = server.connectInMemory(Someone.root.peer)
        let answer = try await ask(root, "action.execute", #"{"action":"guarded","stream":"x"}"#)
        let id = try #require(answer["execution"]?.string)
        for (method, params) in [
            ("action.disable", #"{"action":"guarded"}"#), ("action.describe", #"{"action":"secret"}"#),
            ("subscribe", #"{"action":"guarded","subscription":"a"}"#), ("action.execute", #"{"action":"secret"}"#),
            ("execution.cancel", #"{"execution":"\#(id)"}"#), ("execution.get", #"{"execution":"\#(id)"}"#),
            ("server.reload", "{}"),
        ] {
            let error = try await ask(peer, method, params)
            #expect(error["code"] == -32007, "\(method)")
        }
        await server.stop()
        #expect(
            lines.dropFirst() == [
                "1001 action.disable guarded forbidden", "1001 action.describe secret forbidden",
                "1001 subscribe guarded forbidden", "1001 action.execute secret forbidden",
                "1001 execution.cancel guarded \(id) forbidden", "1001 execution.get guarded \(id) forbidden",
                "1001 server.reload forbidden",
            ])
    }

    @Test("a flood of forbidden attempts leaves a few records and the number of the others")
    func flood() async throws {
        let start = ContinuousClock.now
        let server = try server()
        let peer = server.connectInMemory(Someone.outsider.peer)
        let line = #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"secret"}}"#
        for _ in 0..<500 { peer.send(line) }
        for _ in 0..<500 { #expect(try await peer.nextValue()["error"]?["code"] == -32007) }
        // Another user has its own allowance, and an effect is always logged.
        let named = server.connectInMemory(Someone.named.peer)
        _ = try await ask(named, "action.disable", #"{"action":"guarded"}"#)
        _ = try await ask(peer, "action.execute", #"{"action":"open","stream":"x"}"#)
        await server.stop()
        expectAllowance(for: 500, since: start)
        #expect(lines.contains("1001 action.disable guarded forbidden"))
        #expect(lines.contains { $0.hasPrefix("2001 action.execute open") && $0.hasSuffix("started") })
    }

    @Test("and so does one that comes back for every few of them: the allowance is the user's")
    func floodOfConnections() async throws {
        let start = ContinuousClock.now
        let server = try server()
        let line = #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"secret"}}"#
        for _ in 0..<50 {
            let peer = server.connectInMemory(Someone.outsider.peer)
            for _ in 0..<5 { peer.send(line) }
            for _ in 0..<5 { #expect(try await peer.nextValue()["error"]?["code"] == -32007) }
            peer.vanish()
        }
        await server.stop()
        expectAllowance(for: 250, since: start)
    }

    @Test("has a few of the elements that a user sends and of the executions that it joins, and how many others")
    func sendsAndJoins() async throws {
        let server = try TestServer(streams: [TestStream("saves")], owner: Someone.ownerID, logger: book.logger)
        let peer = server.connectInMemory(Someone.root.peer)
        let count = 5 * AuditAllowance.records
        for (method, params) in [
            ("stream.send", #"{"stream":"saves","element":1}"#), ("action.execute", #"{"action":"shared"}"#),
        ] {
            for _ in 0..<count { peer.send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params)}"#) }
        }
        _ = try await ask(peer, "server.hello", "{}")
        await server.stop()
        for (outcome, kind, all) in [("sent", "sends", count), ("joined", "joins", count - 1)] {
            let logged = book.audit.count { $0.fields["outcome"] == outcome }
            let leftOut = book.audit.filter { $0.message.contains("more \(kind) were not logged") }
                .compactMap { $0.fields["left-out"].flatMap { Int($0) } }
            #expect(logged < all && logged + leftOut.reduce(0, +) == all, "\(kind)")
        }
        #expect(book.audit.count { $0.fields["outcome"] == "started" } == 1)
    }

    /// Each of the outsider's `refusals` since `start` is logged or counted. On a busy machine they take several spans.
    private func expectAllowance(for refusals: Int, since start: ContinuousClock.Instant) {
        let told = book.audit.count { $0.fields["outcome"] == "forbidden" && $0.fields["peer-uid"] == "2001" }
        let leftOut = book.audit.compactMap { $0.fields["left-out"].flatMap { Int($0) } }
        #expect(told + leftOut.reduce(0, +) == refusals)
        let spans = Int((ContinuousClock.now - start) / AuditAllowance.window) + 1
        #expect(told <= AuditAllowance.records * spans && spans < refusals / AuditAllowance.records)
    }

    @Test("logs dispatches, too: completed ones, and failed ones with the reason")
    func dispatches() async throws {
        let server = try server()
        let peer = server.connectInMemory(Someone.named.peer)
        for action in [#""on""#, #""break""#, #""explode""#] {
            _ = try await ask(peer, "reactor.dispatch", #"{"reactor":"lamp","action":\#(action)}"#)
        }
        // A notification has no answer; by the one after it, it was done.
        peer.send(#"{"jsonrpc":"2.0","method":"reactor.dispatch","params":{"reactor":"lamp","action":"off"}}"#)
        _ = try await ask(peer, "reactor.dispatch", #"{"reactor":"other","action":"on"}"#)
        await server.stop()
        let told = book.audit.map { entry in
            ["peer-uid", "method", "reactor", "outcome"].compactMap { entry.fields[$0] }.joined(separator: " ")
        }
        #expect(
            told == [
                "1001 reactor.dispatch lamp done", "1001 reactor.dispatch lamp workFailed",
                "1001 reactor.dispatch lamp invalidParams", "1001 reactor.dispatch lamp done",
                "1001 reactor.dispatch other done",
            ])
        #expect(book.audit.map(\.level) == [.info, .warning, .warning, .info, .info])
        #expect(book.audit[0].message == "uid 1001, pid 3: reactor.dispatch lamp: done")
    }

    @Test(
        "logs a few of many dispatches and the number of the others, and refusals meanwhile as usual")
    func manyDispatches() async throws {
        let start = ContinuousClock.now
        let server = try server()
        let peer = server.connectInMemory(Someone.named.peer)
        let count = 2000
        for _ in 0..<count {
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"reactor.dispatch","params":{"reactor":"lamp","action":"on"}}"#)
        }
        for _ in 0..<count { #expect(try await peer.nextValue()["result"] != nil) }
        _ = try await ask(peer, "reactor.dispatch", #"{"reactor":"lamp","action":"break"}"#)
        await server.stop()
        let told = book.audit.count { $0.fields["outcome"] == "done" }
        let leftOut = book.audit.filter { $0.fields["left-out"] != nil }
        #expect(told + leftOut.compactMap { $0.fields["left-out"].flatMap { Int($0) } }.reduce(0, +) == count)
        let spans = Int((ContinuousClock.now - start) / AuditAllowance.window) + 1
        #expect(told <= AuditAllowance.records * spans && spans < count / AuditAllowance.records)
        #expect(leftOut.allSatisfy { $0.level == .info && $0.message.contains("more dispatches") })
        #expect(book.audit.count { $0.fields["outcome"] == "workFailed" } == 1)
    }

    @Test("the allowance is per span of time, at whose end the number of omitted records is logged")
    func allowance() async throws {
        let server = try server()
        let audit = await server.onLoop {
            LoopConfined(Audit(logger: server.server.context.logger, loop: server.loop, window: .milliseconds(20)))
        }
        let attempts = AuditAllowance.records + 3
        for round in 1...2 {
            await server.onLoop {
                for _ in 0..<attempts {
                    audit.value.write(
                        AuditRecord(method: .actionExecute, outcome: .refusal("forbidden")), by: Someone.outsider.peer)
                }
            }
            #expect(await eventually { book.audit.count { $0.fields["left-out"] == "3" } == round })
            #expect(book.audit.count { $0.fields["method"] == "action.execute" } == round * AuditAllowance.records)
        }
        await server.stop()
        #expect(book.audit.count == 2 * (AuditAllowance.records + 1))
    }
}
