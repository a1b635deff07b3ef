import Dispatch
import Glibc
import Rx
import RxAction
import RxHost
import RxRecords
import RxStore
import RxJSON
import RxLoop
import RxProtocol
import TestSupport
import Testing

@testable import RxServer

/// What waits, is collected, or is kept for one user has one limit; what is refused is refused before it has an effect.
@Suite("The room of an account", .ownThreads)
struct AccountRoomTests {
    private static func limits(_ bytes: Int = 1 << 20) -> Limits {
        var limits = Limits()
        limits.bytesPerUid = bytes
        return limits
    }

    /// An action that counts its executions.
    private static func counting(_ count: Locked<Int>) -> ActionDefinition {
        ActionDefinition(name: "effect", kind: "test", scheduler: .inline, fingerprint: "effect") { _ in
            count.withLock { $0 += 1 }
            return .just(RawJSON(unchecked: Array(("\"" + String(repeating: "x", count: 3000) + "\"").utf8)))
        }
    }

    private static func request(_ id: Int, _ method: String, _ params: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
    }

    private static func execute(_ id: Int, _ action: String) -> String {
        request(id, "action.execute", #"{"action":"\#(action)"}"#)
    }

    // MARK: What an earlier daemon has accepted

    @Test("is charged with the inputs that an earlier daemon has accepted, until they have ended")
    func resumed() async throws {
        var held = ActionDefinition(name: "held", kind: "test", overlap: .queue(limit: 10), fingerprint: "held") { _ in
            .never()
        }
        held.isDurable = true
        let file = try ServedFile()
        let first = try file.open()
        let earlier = try TestServer(definitions: [held], store: first)
        let peer = earlier.connectInMemory(uid: 1000)
        let input = "\"" + String(repeating: "x", count: 20_000) + "\""
        for (id, input) in [(1, "1"), (2, input), (3, "3")] {
            peer.send(
                #"{"jsonrpc":"2.0","id":\#(id),"method":"action.execute","params":{"action":"held","stream":"s\#(id)","#
                    + #""input":\#(input)}}"#)
            #expect(try await peer.nextValue()["result"]?["disposition"] == (id == 1 ? "started" : "queued"))
        }
        await earlier.stop()
        first.close()

        let second = try file.open()
        let later = try TestServer(definitions: [held], store: second)
        later.host.resume()
        #expect(await later.account(1000) { $0.keptBytes } == input.utf8.count + 1 + 1024, "one waits")
        for execution in later.host.log.inFlight { execution.cancel(by: .host) }
        #expect(await eventually { later.host.log.inFlight.isEmpty })
        #expect(await eventually { later.number(of: 1000) { $0.keptBytes } == 0 })
        await later.stop()
        second.close()
    }

    // MARK: What waits

    private static let padding = String(repeating: "x", count: 3000)

    @Test(
        "is charged with the inputs that wait, also those of notifications, and refuses more", arguments: [false, true])
    func queued(isNotification: Bool) async throws {
        let held = ActionDefinition(
            name: "held", kind: "test", overlap: .queue(limit: 1000), fingerprint: "held"
        ) { _ in .never() }
        let limits = Self.limits()
        let server = try TestServer(definitions: [held], limits: limits)
        let peer = server.connectInMemory(uid: 1000)
        let count = 300
        for id in 1...count {
            let params = #"{"action":"held","input":"\#(Self.padding)","onDisconnect":"detach"}"#
            peer.send(
                isNotification
                    ? #"{"jsonrpc":"2.0","method":"action.execute","params":\#(params)}"#
                    : Self.request(id, "action.execute", params))
        }
        await server.onLoop {}
        let kept = await server.account(1000) { $0.keptBytes }
        let inFlight = server.host.log.inFlight
        #expect(inFlight.count > 50 && inFlight.count < 150, "\(inFlight.count)")
        #expect(kept >= (inFlight.count - 1) * 4000 && kept <= limits.bytesPerUid / 2, "\(kept)")
        if !isNotification {
            for _ in inFlight.count..<count {
                #expect(try await peer.nextValue()["error"]?["data"]?["limit"] == "bytesPerUid")
            }
        }
        for execution in server.host.log.inFlight { execution.cancel(by: .host) }
        #expect(await eventually { server.host.log.inFlight.isEmpty })
        #expect(await eventually { server.number(of: 1000) { $0.keptBytes } == 0 })
        await server.stop()
    }

    /// An engine that answers no dispatch before `answer`.
    private final class Silent: ReactorEngine {
        private let waiting = Locked<[@Sendable (ReactorFault?) -> Void]>([])

        var count: Int { waiting.withLock { $0.count } }

        func answer() {
            for completion in waiting.withLock({ $0 }) { completion(nil) }
        }

        func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
            JSONState(0)
        }

        func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
            waiting.withLock { $0.append(completion) }
        }

        func replay(_ mutation: RawJSON) throws(ReactorFault) {}
        func stop(completion: @escaping @Sendable () -> Void) { completion() }
    }

    @Test("is charged with dispatches, also those of notifications, and drops the notifications beyond it")
    func dispatches() async throws {
        let engine = Silent()
        let definition = ReactorDefinition(name: "silent", kind: "test", fingerprint: "", makeEngine: { engine })
        let limits = Self.limits()
        let server = try TestServer(reactors: [definition], limits: limits)
        let peer = server.connectInMemory(uid: 1000)
        let params = #"{"reactor":"silent","action":"\#(Self.padding)"}"#
        for _ in 0..<300 { peer.send(#"{"jsonrpc":"2.0","method":"reactor.dispatch","params":\#(params)}"#) }
        await server.onLoop {}
        #expect(await eventually { engine.count > 0 })
        let kept = await server.account(1000) { $0.keptBytes }
        #expect(kept > limits.bytesPerUid / 4 && kept <= limits.bytesPerUid / 2, "\(kept)")
        // Requests go on, because each connection may have some; they are charged too.
        for id in 1...3 { peer.send(Self.request(id, "reactor.dispatch", params)) }
        await server.onLoop {}
        #expect(await server.account(1000) { $0.keptBytes } > kept + 3 * Self.padding.utf8.count)
        let count = (kept + 4000) / 4538 + 3
        #expect(await eventually { engine.count == count })
        engine.answer()
        for _ in 1...3 { #expect(try await peer.nextValue()["result"]?["revision"] == 0) }
        #expect(await eventually { server.number(of: 1000) { $0.keptBytes } == 0 })
        await server.stop()
    }

    // MARK: Subscriptions to executions

    @Test("is charged with the records that a subscription to executions keeps, and refuses what is too much")
    func records() async throws {
        let work = PublishSubject<RawJSON>()
        let held = ActionDefinition(name: "held", kind: "test", overlap: .concurrent(limit: 10), fingerprint: "held") {
            $0.input == .null ? .never() : work.asObservable()
        }
        let limits = Self.limits()
        let server = try TestServer(
            definitions: [Builtin.echo.definition(name: "echo"), held], limits: limits)
        let writer = server.connectInMemory(uid: 1001)
        var ids: [String] = []
        for _ in 0..<100 {
            writer.send(Self.request(1, "action.execute", #"{"action":"echo","input":"\#(Self.padding)"}"#))
            ids.append(try #require(try await writer.nextValue()["result"]?["execution"]?.string))
        }
        for (stream, input) in [("a", "null"), ("b", "1")] {
            writer.send(
                Self.request(2, "action.execute", #"{"action":"held","stream":"\#(stream)","input":\#(input)}"#))
            ids.append(try #require(try await writer.nextValue()["result"]?["execution"]?.string))
        }
        let peer = server.connectInMemory(uid: 0)
        func subscribe(_ name: String) async throws -> JSONValue {
            let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
            peer.send(Self.request(3, "subscribe", #"{"subscription":"\#(name)","execution":[\#(list)]}"#))
            while true {
                let line = try await peer.nextValue()
                if line["id"] == 3 { return line }
            }
        }
        #expect(try await subscribe("first")["result"] != nil)
        let kept = await server.account(0) { $0.keptBytes }
        #expect(kept > 100 * 3500, "\(kept)")
        #expect(try await subscribe("second")["error"]?["data"]?["limit"] == "bytesPerUid")
        #expect(await server.account(0) { $0.keptBytes } == kept, "nothing is kept of it")
        // What the error of one states is a part of its record.
        #expect(await eventually { work.hasObservers })
        work.on(.error(WorkFailure(message: String(repeating: "e", count: 10_000), mayPass: false)))
        #expect(await eventually { server.number(of: 0) { $0.keptBytes } >= kept + 10_000 })
        peer.send(Self.request(4, "unsubscribe", #"{"subscription":"first"}"#))
        #expect(await eventually { server.number(of: 0) { $0.keptBytes } == 0 })
        await server.stop()
    }

    // MARK: Batches

    /// Waits until the loop has handled what came. Each turn handles a message of a batch at least.
    private func settle(_ server: TestServer, uid: UInt32, _ effects: Locked<Int>) async {
        var (last, turns) = ((-1, -1), 0)
        while turns < 10 {
            let now = (await server.account(uid) { $0.keptBytes }, effects.withLock { $0 })
            turns = now == last ? turns + 1 : 0
            last = now
        }
    }

    @Test("is charged with what batches collect; a request is refused before its effect, and no effect is forgotten")
    func collected() async throws {
        let effects = Locked(0)
        let work = PublishSubject<RawJSON>()
        let held = ActionDefinition(
            name: "held", kind: "test", overlap: .concurrent(limit: 1000), fingerprint: "held"
        ) { _ in work.asObservable() }
        let limits = Self.limits()
        let server = try TestServer(definitions: [Self.counting(effects), held], limits: limits)
        let peer = server.connectInMemory(uid: 1000)
        let batches = 20
        for batch in 0..<batches {
            let first = Self.execute(batch * 100, "held")
            let rest = (1...60).map { Self.execute(batch * 100 + $0, "effect") }
            peer.send("[" + ([first] + rest).joined(separator: ",") + "]")
        }
        await settle(server, uid: 1000, effects)
        let kept = await server.account(1000) { $0.keptBytes }
        #expect(kept > limits.bytesPerUid / 4)
        #expect(kept <= limits.bytesPerUid / 2 + 61 * 4096, "one batch may be beyond the limit: \(kept)")
        #expect(effects.withLock { $0 } < batches * 60)
        work.on(.next(RawJSON("end")))
        work.on(.completed)
        var (results, refusals, answers) = (0, 0, 0)
        for _ in 0..<batches {
            let batch = try #require(try await peer.nextValue().array)
            answers += batch.count
            #expect(Set(batch.compactMap { $0["id"]?.int }).count == 61, "each request is answered once")
            for answer in batch where (answer["id"]?.int ?? 0) % 100 != 0 {
                if answer["result"]?["execution"] != nil { results += 1 }
                if answer["error"]?["data"]?["limit"] == "bytesPerUid" { refusals += 1 }
            }
        }
        #expect(answers == batches * 61)
        #expect(results == effects.withLock { $0 } && results + refusals == batches * 60 && refusals > 0)
        #expect(await server.account(1000) { $0.keptBytes } == 0)
        await server.stop()
    }

    @Test("keeps the result of work in a batch that has become full meanwhile, without its elements")
    func fullMeanwhile() async throws {
        let work = PublishSubject<RawJSON>()
        let effects = Locked(0)
        let held = ActionDefinition(name: "held", kind: "test", fingerprint: "held") { _ in work.asObservable() }
        var limits = Limits()
        limits.outboxBytes = 65_536
        let server = try TestServer(definitions: [Self.counting(effects), held], limits: limits)
        let peer = server.connectInMemory()
        let requests = [Self.execute(0, "held")] + (1...30).map { Self.execute($0, "effect") }
        peer.send("[" + (requests + [Self.request(31, "server.status")]).joined(separator: ",") + "]")
        await settle(server, uid: getuid(), effects)
        // The work starts on another thread.
        #expect(await eventually { work.hasObservers })
        work.on(.next(RawJSON("element")))
        work.on(.completed)
        let batch = try #require(try await peer.nextValue().array)
        let last = try #require(batch.last)
        #expect(last["id"] == 0 && last["result"]?["truncated"] == true && last["result"]?["elements"]?.array == [])
        #expect(batch.count { $0["result"]?["execution"] != nil } == effects.withLock { $0 } + 1)
        #expect(batch.first { $0["id"] == 31 }?["error"]?["data"]?["limit"] == "outboxBytes")
        await server.stop()
    }

    // MARK: Long answers

    @Test("reserves long answers by their length, so that what waits never exceeds the limit")
    func states() async throws {
        let definition = ReactorDefinition(name: "blob", kind: "test", fingerprint: "", makeEngine: { Blob() })
        let limits = Self.limits()
        let server = try TestServer(reactors: [definition], limits: limits)
        let writer = server.connectInMemory(uid: 1001)
        writer.send(Self.request(1, "reactor.dispatch", #"{"reactor":"blob","action":240000}"#))
        #expect(try await writer.nextValue()["result"]?["revision"] == 1)
        for method in ["reactor.state", "subscribe"] {
            let peers = (0..<20).map { _ in server.connectInMemory(uid: 1000) }
            let params = #"{"reactor":"blob"\#(method == "subscribe" ? #","subscription":"s""# : "")}"#
            for peer in peers {
                peer.stall()
                peer.send(Self.request(1, method, params))
            }
            #expect(await eventually { server.waiting(1000) == 20 - limits.bytesPerUid / 240_000 })
            // Nothing is in the making.
            #expect(await eventually { server.reserved(1000) == 0 })
            let outbound = await server.account(1000) { $0.outboundBytes }
            #expect(outbound > 900_000 && outbound <= limits.bytesPerUid, "\(outbound)")
            for peer in peers { peer.resume() }
            for peer in peers { #expect(try await peer.nextValue()["result"] != nil) }
            for peer in peers { peer.vanish() }
        }
        #expect(await eventually { server.connectionCount == 1 })
        await server.stop()
    }

    @Test("lets small answers past a large one that waits, as many as the limit holds, and then the large one first")
    func overtaking() async throws {
        let server = try TestServer()
        let begun = Locked<[Int]>([])
        let limit = 800
        let answers = await server.onLoop {
            let answers = LongAnswers(
                limit: limit, HeldBytes(limit: limit), server.host.memory[1000], patience: .seconds(3600),
                loop: server.loop, share: LoopShare())
            // Room for a small one, not for a large one.
            answers.outboundBytes = 640
            answers.whenRoom(200, { begun.withLock { $0.append(0) } }, refuse: {})
            for number in 1...20 {
                answers.whenRoom(
                    100,
                    {
                        begun.withLock { $0.append(number) }
                        answers.end(100)
                    }, refuse: {})
            }
            return LoopConfined(answers)
        }
        await server.onLoop {}
        await server.onLoop {}
        #expect(begun.withLock { $0 } == Array(1...9), "as many as the limit holds go past it, and one more")
        await server.onLoop { answers.value.outboundBytes = 0 }
        #expect(await eventually { begun.withLock { $0.count } == 21 })
        #expect(begun.withLock { $0[9] } == 0, "the large one is next")
        #expect(await server.onLoop { answers.value.count } == 0)
        await server.stop()
    }

    @Test("has one answer at a time made that is longer than a quarter of the limit, which is all that it counts for")
    func oversized() async throws {
        let server = try TestServer()
        let begun = Locked<[Int]>([])
        let limit = 800
        let answers = await server.onLoop {
            let answers = LongAnswers(
                limit: limit, HeldBytes(limit: limit), server.host.memory[1000], patience: .seconds(3600),
                loop: server.loop, share: LoopShare())
            for (number, bytes) in [500, 500, 100].enumerated() {
                answers.whenRoom(bytes, { begun.withLock { $0.append(number) } }, refuse: {})
            }
            return LoopConfined(answers)
        }
        await server.onLoop {}
        await server.onLoop {}
        #expect(begun.withLock { $0 } == [0, 2], "the small one goes past it")
        await server.onLoop {
            #expect(answers.value.reservedBytes == limit / 4 + 100)
            #expect(!answers.value.extend(100, to: 201), "there is no room for a second one")
            answers.value.outboundBytes = 500
            answers.value.end(500)
        }
        #expect(await eventually { begun.withLock { $0.count } == 3 })
        await server.onLoop {
            answers.value.end(500)
            #expect(answers.value.extend(100, to: 201))
            answers.value.end(201)
        }
        #expect(await server.onLoop { answers.value.isIdle && answers.value.reservedBytes == 0 })
        await server.stop()
    }

    @Test("lets a long answer begin as soon as the host has freed what it kept for the user")
    func freed() async throws {
        let held = ActionDefinition(name: "held", kind: "test", fingerprint: "held") { _ in .never() }
        let server = try TestServer(definitions: [held], limits: Self.limits())
        let memory = server.host.memory[1000]
        let input = RawJSON(unchecked: Array("\"\(String(repeating: "x", count: 500_000))\"".utf8))
        let action = try #require(server.host.registry["held"])
        let by = Origin.peer(uid: 1000, gid: 1000, pid: 1)
        guard case .accepted(let accepted) = server.host.submit(action, ExecutionRequest(input: input, by: by)) else {
            Issue.record("not accepted")
            return
        }
        #expect(memory.bytes >= 500_000)
        let hasBegun = Locked(false)
        await server.onLoop {
            let account = server.server.context.accounts[1000]
            account.addOutbound(400_000)
            account.longAnswers.whenRoom(
                300_000,
                {
                    hasBegun.withLock { $0 = true }
                    account.longAnswers.end(300_000)
                    account.addOutbound(-400_000)
                }, refuse: {})
        }
        await server.onLoop {}
        #expect(!hasBegun.withLock { $0 })
        accepted.execution.cancel(by: .host)
        // The patience is an hour.
        #expect(await eventually { hasBegun.withLock { $0 } })
        await server.stop()
    }

    @Test("refuses no request while others of the user go on")
    func progress() async throws {
        let server = try TestServer()
        let (begun, refused) = (Locked(0), Locked(0))
        let answers = await server.onLoop {
            let answers = LongAnswers(
                limit: 800, HeldBytes(limit: 800), server.host.memory[1000], patience: .milliseconds(20),
                loop: server.loop, share: LoopShare())
            answers.outboundBytes = 800
            for _ in 1...30 {
                answers.whenRoom(100, { begun.withLock { $0 += 1 } }, refuse: { refused.withLock { $0 += 1 } })
            }
            return LoopConfined(answers)
        }
        #expect(await eventually { refused.withLock { $0 } == 30 }, "nothing went on")
        #expect(begun.withLock { $0 } == 0)
        #expect(await server.onLoop { answers.value.isIdle })
        await server.stop()
    }
}

extension TestServer {
    func account<R: Sendable>(_ uid: UInt32, _ body: @escaping @Sendable (Account) -> R) async -> R {
        await onLoop { [server] in body(server.context.accounts[uid]) }
    }

    /// A number of a user's account, asked from outside of the loop.
    func number(of uid: UInt32, _ body: @escaping @Sendable (Account) -> Int) -> Int {
        let done = DispatchSemaphore(value: 0)
        let number = Locked(0)
        loop.execute { [server] in
            let found = body(server.context.accounts[uid])
            number.withLock { $0 = found }
            done.signal()
        }
        done.wait()
        return number.withLock { $0 }
    }

    /// Requests of a user that wait for room.
    func waiting(_ uid: UInt32) -> Int { number(of: uid) { $0.longAnswers.count } }

    /// Bytes that are reserved for long answers to a user.
    func reserved(_ uid: UInt32) -> Int { number(of: uid) { $0.longAnswers.reservedBytes } }
}
