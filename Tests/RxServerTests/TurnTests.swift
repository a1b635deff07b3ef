import Glibc
import Logging
import Rx
import RxAction
import RxHost
import RxJSON
import RxProtocol
import TestSupport
import Testing

@testable import RxLoop
@testable import RxServer

/// Which requests a turn of the loop serves, on a clock that the test controls.
@Suite("A turn with requests", .ownThreads)
struct TurnTests {
    private let kernel: SteppedKernel
    private let loop: EventLoop
    private let host: Host
    private let server: Server
    /// How often `slow` was executed.
    private let executed = Locked(0)

    init() throws {
        kernel = try SteppedKernel()
        loop = EventLoop(kernel: kernel)
        // `slow` takes a millisecond of the loop.
        let slow = ActionDefinition(name: "slow", kind: "test", scheduler: .inline, fingerprint: "") {
            [kernel, executed] _ in
            kernel.advance(by: .milliseconds(1))
            executed.withLock { $0 += 1 }
            return .just(RawJSON("1"))
        }
        host = Host([slow, Builtin.echo.definition(name: "echo")])
        var silent = Logger(label: "test")
        silent.logLevel = .critical
        server = Server(host: host, loop: loop, rights: Rights(owner: getuid()), logger: silent)
    }

    private func connect(uid: UInt32) -> MemoryPeer {
        let peer = MemoryPeer(server: server, loop: loop)
        peer.connect(uid: uid)
        loop.takeTurn()
        return peer
    }

    private func request(_ id: Int, _ action: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"action.execute","params":{"action":"\#(action)"}}"#
    }

    private func stop(_ peers: [MemoryPeer]) {
        for peer in peers { peer.vanish() }
        let isStopped = Locked(false)
        loop.execute { [server] in server.stop { isStopped.withLock { $0 = true } } }
        for _ in 0..<100 where !isStopped.withLock({ $0 }) { loop.takeTurn() }
        #expect(isStopped.withLock { $0 })
        server.join()
    }

    @Test("ends within a batch that takes long; others come between, and the order of its answers is kept")
    func batch() throws {
        let (greedy, modest) = (connect(uid: 0), connect(uid: getuid() + 1))
        greedy.send("[" + (1...10).map { request($0, "slow") }.joined(separator: ",") + "]")
        greedy.send(request(11, "slow"))
        modest.send(request(1, "nothing"))
        var turns = 0
        while greedy.unread.count < 2, turns < 100 {
            loop.takeTurn()
            turns += 1
            #expect(executed.withLock { $0 } <= 2 * turns, "a turn of two milliseconds executes two")
            #expect(turns < 3 || modest.unread.count == 1)
        }
        let lines = greedy.takeLines()
        try #require(lines.count == 2)
        let answers = try RawJSON(validating: lines[0]).value().array ?? []
        #expect(answers.compactMap { $0["id"]?.int } == Array(1...10))
        #expect(answers.allSatisfy { $0["result"] != nil })
        #expect(try RawJSON(validating: lines[1]).value()["id"] == 11)
        stop([greedy, modest])
    }

    @Test("that ends within a batch leaves the room for the answers to the rest of it reserved")
    func roomOfBatch() throws {
        let peer = connect(uid: 0)
        let answers = try #require(server.sessions.all.first).client.account.longAnswers
        peer.send("[" + (1...10).map { request($0, "slow") }.joined(separator: ",") + "]")
        for turn in 1...4 {
            loop.takeTurn()
            #expect(executed.withLock { $0 } == 2 * turn)
            #expect(answers.reservedBytes == server.limits.outboxBytes)
        }
        for _ in 0..<20 { loop.takeTurn() }
        #expect(executed.withLock { $0 } == 10 && peer.takeLines().count == 1)
        #expect(answers.reservedBytes == 0 && answers.isIdle)
        stop([peer])
    }

    @Test("goes on with a batch to its end although its client sends no more")
    func endOfInput() {
        let peer = connect(uid: 0)
        peer.send("[" + (1...10).map { request($0, "slow") }.joined(separator: ",") + "]")
        loop.takeTurn()
        #expect(executed.withLock { $0 } == 2)
        peer.endInput()
        for _ in 0..<20 { loop.takeTurn() }
        #expect(executed.withLock { $0 } == 10 && peer.takeLines().count == 1)
        stop([peer])
    }

    @Test("answers a batch that a stop interrupts: what was carried out, and that the rest was not")
    func stopWithinBatch() throws {
        let peer = connect(uid: 0)
        peer.send("[" + (1...10).map { request($0, "slow") }.joined(separator: ",") + "]")
        loop.takeTurn()
        #expect(executed.withLock { $0 } == 2)
        let isStopped = Locked(false)
        loop.execute { [server] in server.stop { isStopped.withLock { $0 = true } } }
        for _ in 0..<100 where !isStopped.withLock({ $0 }) { loop.takeTurn() }
        #expect(isStopped.withLock { $0 })
        let answers = try RawJSON(validating: #require(peer.takeLines().last)).value().array ?? []
        let done = executed.withLock { $0 }
        #expect(answers.count == 10 && done < 10)
        #expect(answers.prefix(done).allSatisfy { $0["result"] != nil })
        #expect(answers.dropFirst(done).allSatisfy { $0["error"]?["data"]?["name"] == "shuttingDown" })
        server.join()
    }

    @Test("that stops the server for long does not drop the answers that are posted to a user's share")
    func stopBeforeAnswers() throws {
        let peer = connect(uid: 0)
        let isStopped = Locked(false)
        loop.execute { [server, kernel] in
            server.stop { isStopped.withLock { $0 = true } }
            kernel.advance(by: .milliseconds(5))
        }
        let session = try #require(server.sessions.all.first)
        session.output.expectAnswer()
        loop.execute(in: session.client.account.share) { [session = LoopConfined(session)] in
            session.value.output.answer { $0.string("late") }
        }
        for _ in 0..<100 where !isStopped.withLock({ $0 }) { loop.takeTurn() }
        #expect(isStopped.withLock { $0 } && peer.takeLines() == ["\"late\""])
        server.join()
    }

    @Test("reads the clock after each request but the brief ones")
    func readings() {
        let peer = connect(uid: 0)
        let readings = Locked<[Int]>([])
        loop.execute { [kernel, loop] in
            // The first one makes the action known to its client.
            for action in ["echo", "echo", "echo", "slow"] {
                let before = kernel.readings
                peer.receiveNow(request(1, action))
                // As the socket does after each line.
                _ = loop.isTurnOver()
                readings.withLock { $0.append(kernel.readings - before) }
            }
        }
        loop.takeTurn()
        #expect(readings.withLock { $0 } == [1, 0, 0, 1])
        stop([peer])
    }

    @Test("answers a switch in its user's share, whatever else the daemon has to do", arguments: ["action", "stream"])
    func share(kind: String) {
        let stream = TestStream("saves")
        host.streams = ["saves": stream]
        let peer = connect(uid: 0)
        let others = Locked(0)
        let name = kind == "action" ? "slow" : "saves"
        peer.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(kind).disable","params":{"\#(kind)":"\#(name)"}}"#)
        for _ in 0..<100 {
            loop.execute { [kernel] in
                others.withLock { $0 += 1 }
                kernel.advance(by: .milliseconds(1))
            }
        }
        for _ in 0..<100 where peer.unread.isEmpty { loop.takeTurn() }
        #expect(peer.takeLines().count == 1 && others.withLock { $0 } < 10)
        for _ in 0..<100 where others.withLock({ $0 }) < 100 { loop.takeTurn() }
        stop([peer])
    }
}
