import Glibc
import Logging
import Rx
import RxAction
import RxHost
import RxJSON
import RxLoop
import RxProtocol
import RxRecords
import TestSupport
import Testing

@testable import RxServer

/// How much a turn of the loop delivers, on a clock that the test controls.
@Suite("A turn that delivers events", .ownThreads)
struct DeliveryTurnTests {
    /// The clock is read so often in a turn of two milliseconds, and after so many deliveries.
    private static let readings = 4
    private static let most = readings * Delivery.deliveriesPerReading

    private let kernel: SteppedKernel
    private let loop: EventLoop
    private let host: Host
    private let server: Server

    init() throws {
        kernel = try SteppedKernel()
        kernel.perReading = .microseconds(500)
        loop = EventLoop(kernel: kernel)
        let long = RawJSON(.string(String(repeating: "x", count: 1 << 20)))
        let texts = ActionDefinition(name: "texts", kind: "test", scheduler: .inline, fingerprint: "") { _ in
            .from(Array(repeating: long, count: 16))
        }
        host = Host([StalledReaderTests.numbers(), texts, Builtin.echo.definition(name: "echo")])
        var silent = Logger(label: "test")
        silent.logLevel = .critical
        var limits = Limits()
        limits.outboxBytes = 32 << 20
        limits.bytesPerUid = 64 << 20
        server = Server(host: host, loop: loop, limits: limits, rights: Rights(owner: getuid()), logger: silent)
    }

    private func turns(while condition: () -> Bool) {
        for _ in 0..<10_000 {
            guard condition() else { return }
            loop.takeTurn()
        }
        Issue.record("nothing comes")
    }

    private func connect(uid: UInt32 = 0) -> MemoryPeer {
        let peer = MemoryPeer(server: server, loop: loop)
        peer.connect(uid: uid)
        loop.takeTurn()
        return peer
    }

    private func subscribe(_ peer: MemoryPeer, _ names: Range<Int> = 0..<1, to action: String = "numbers") {
        for name in names {
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":"#
                    + #"{"subscription":"\#(name)","action":"\#(action)","channels":["elements"]}}"#)
        }
        var lines: [String] = []
        turns {
            lines += peer.takeLines()
            return lines.count < names.count
        }
        #expect(lines.allSatisfy { $0.contains(#""result""#) })
    }

    private func execute(_ action: String = "numbers", _ input: Int = 1) {
        let input = RawJSON(unchecked: Array("\(input)".utf8))
        _ = host.submit(host.registry[action]!, ExecutionRequest(input: input, by: .host))
    }

    private func stop(_ peers: [MemoryPeer]) {
        for peer in peers { peer.vanish() }
        let isStopped = Locked(false)
        loop.execute { [server] in server.stop { isStopped.withLock { $0 = true } } }
        turns { !isStopped.withLock { $0 } }
        server.join()
    }

    @Test("ends after two milliseconds of many events; a request is answered meanwhile, and none comes twice")
    func manyEvents() throws {
        let count = 20_000
        let peers = [connect(), connect()]
        for peer in peers { subscribe(peer) }
        let other = connect(uid: getuid() + 1)
        execute("numbers", count)
        var readings = peers.map { _ in StalledReaderTests.Reading() }
        var answered = 0
        while readings.contains(where: { $0.received < count }) {
            other.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo"}}"#)
            loop.takeTurn()
            loop.takeTurn()
            answered += other.takeLines().count
            var delivered = 0
            for (index, peer) in peers.enumerated() {
                for line in peer.takeLines() {
                    try readings[index].take(line)
                    delivered += 1
                }
            }
            // A batch that is under way is in the second turn, and the next one.
            try #require(delivered > 0 && delivered <= 3 * Self.most, "\(delivered)")
        }
        #expect(readings.allSatisfy { $0.received == count && $0.dropped == 0 })
        #expect(answered >= count / (3 * Self.most))
        stop(peers + [other])
    }

    @Test("counts what is dropped, and ends although a reader that has stalled makes each event drop another")
    func dropping() throws {
        let count = 20_000
        let (reader, stalled) = (connect(), connect())
        subscribe(reader)
        stalled.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":"#
                + #"{"subscription":"s","action":"numbers","channels":["elements"],"buffer":10}}"#)
        turns { stalled.unread.isEmpty }
        stalled.stall()
        execute("numbers", count)
        var reading = StalledReaderTests.Reading()
        while reading.received < count {
            loop.takeTurn()
            let (lines, dropped) = (reader.takeLines(), server.context.dropped.count)
            for line in lines { try reading.take(line) }
            #expect(lines.count <= 2 * Self.most)
            #expect(dropped <= reading.received + Self.most)
        }
        stop([reader, stalled])
    }

    @Test("ends after a few long events")
    func longEvents() {
        let peer = connect()
        subscribe(peer, to: "texts")
        peer.stall()
        execute("texts")
        var most = 0
        for turn in 1...16 {
            let before = server.sessions.queuedBytes
            loop.takeTurn()
            most = max(most, server.sessions.queuedBytes - before)
            #expect(turn < 4 || server.sessions.queuedBytes > 0)
        }
        #expect(most > 1 << 20 && most < (Self.readings + 1) << 20)
        #expect(server.sessions.queuedBytes > 16 << 20)
        stop([peer])
    }

    @Test("ends among the subscriptions of one event, and the next turn goes on at that place")
    func manySubscriptions() throws {
        let (count, subscriptions) = (120, 24)
        var peers = (0..<count).map { _ in connect() }
        for peer in peers { subscribe(peer, 0..<subscriptions) }
        let writes = peers.map(\.writes)
        execute()
        turns { peers.allSatisfy(\.unread.isEmpty) }
        let served = peers.reduce(0) { $0 + $1.unread.count }
        #expect((1...Self.most).contains(served) && served < count * subscriptions)
        // Those that have not got it: one ends a subscription, one leaves, and one subscribes anew.
        let left = peers.filter(\.unread.isEmpty)
        try #require(left.count > 3)
        left[0].receiveNow(#"{"jsonrpc":"2.0","id":2,"method":"unsubscribe","params":{"subscription":"3"}}"#)
        left[1].close()
        peers.removeAll { $0 === left[1] }
        left[2].receiveNow(
            #"{"jsonrpc":"2.0","id":3,"method":"subscribe","params":"#
                + #"{"subscription":"new","action":"numbers","channels":["elements"]}}"#)
        turns { left[3].unread.isEmpty }
        for _ in 0..<20 { loop.takeTurn() }
        execute()
        turns { peers.contains { $0.unread.count < 2 * subscriptions } }
        for _ in 0..<20 { loop.takeTurn() }
        for peer in peers {
            var lines = peer.takeLines()
            if peer === left[0] { lines.removeAll { $0.contains(#""id":2"#) } }
            if peer === left[2] { lines.removeAll { $0.contains(#""id":3"#) } }
            var values: [String: [JSONValue]] = [:]
            for line in lines {
                let event = try #require(try RawJSON(validating: line).value()["params"])
                let name = try #require(event["subscription"]?.string)
                #expect(event["seq"]?.int == (values[name]?.count ?? 0) + 1)
                values[name, default: []].append(event["channel"] == "end" ? event : "element")
            }
            for name in 0..<subscriptions where peer !== left[0] || name != 3 {
                #expect(values["\(name)"] == ["element", "element"])
            }
            if peer === left[2] { #expect(values["new"] == ["element"]) }
            guard peer === left[0], let end = values["3"]?.first else { continue }
            // Whoever goes on after its end gets the event that has not come to it.
            #expect(values["3"]?.count == 1)
            peer.send(
                #"{"jsonrpc":"2.0","id":4,"method":"subscribe","params":{"subscription":"3","action":"numbers","#
                    + #""channels":["elements"],"from":{"cursor":"\#(end["cursor"]?.string ?? "")"}}}"#)
            turns { peer.unread.count < 3 }
        }
        // One write for all subscriptions of a connection, or two if the turn has ended between them.
        for (peer, before) in zip(peers, writes) where !left.contains(where: { $0 === peer }) {
            #expect(peer.writes - before <= 4)
        }
        stop(peers)
    }

    @Test("ends among the subscriptions that end with their action, and each ends once")
    func removed() throws {
        let (count, subscriptions) = (80, 24)
        let peers = (0..<count).map { _ in connect() }
        for peer in peers { subscribe(peer, 0..<subscriptions) }
        host.reload([Builtin.echo.definition(name: "echo")])
        var ended: [Int] = []
        while ended.reduce(0, +) < count * subscriptions, ended.count < 1000 {
            loop.takeTurn()
            ended.append(peers.reduce(0) { $0 + $1.takeLines().count { $0.contains(#""removed""#) } })
        }
        #expect(ended.reduce(0, +) == count * subscriptions && ended.allSatisfy { $0 <= Self.most }, "\(ended)")
        for _ in 0..<20 { loop.takeTurn() }
        #expect(peers.allSatisfy { $0.unread.isEmpty })
        stop(peers)
    }

    @Test("ends while rights are checked again")
    func revoked() {
        var definition = Builtin.echo.definition(name: "echo")
        host.reload([definition])
        for _ in 0..<20 { loop.takeTurn() }
        let (count, subscriptions) = (20, 24)
        let peers = (0..<count).map { _ in connect(uid: getuid() + 1) }
        for peer in peers { subscribe(peer, 0..<subscriptions, to: "echo") }
        definition.access = Access(execute: .nobody, subscribe: .nobody, manage: .nobody)
        definition.fingerprint = "other"
        host.reload([definition])
        var ended: [Int] = []
        while ended.reduce(0, +) < count * subscriptions, ended.count < 1000 {
            loop.takeTurn()
            ended.append(peers.reduce(0) { $0 + $1.takeLines().count { $0.contains(#""revoked""#) } })
        }
        // Each is looked at, and its one action is checked: 16 deliveries.
        let most = Self.most / 16 + Self.readings
        #expect(ended.reduce(0, +) == count * subscriptions && ended.allSatisfy { $0 <= most }, "\(ended)")
        stop(peers)
    }

    @Test("ends while the subscriptions go back to what was left out, and each loses and repeats nothing")
    func catchUp() throws {
        let (count, subscriptions) = (120, 24)
        let peers = (0..<count).map { _ in connect() }
        for peer in peers { subscribe(peer, 0..<subscriptions) }
        let (echoes, other) = (connect(), connect(uid: getuid() + 1))
        subscribe(echoes, to: "echo")
        // More than the log keeps for the server, which is of one reader alone; the others lack what follows.
        for number in 0..<33_000 { execute("echo", number) }
        execute("numbers", 2)
        var (before, most, answered) = (0, 0, 0)
        while peers.contains(where: { $0.unread.count < 2 * subscriptions }) {
            other.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo"}}"#)
            loop.takeTurn()
            loop.takeTurn()
            let all = server.sessions.all.flatMap { Array($0.subscriptions.all) }
            let goingBack = all.count { $0.position != nil }
            most = max(most, goingBack - before)
            if goingBack > before { answered += other.takeLines().count }
            before = goingBack
        }
        // Each is visited with its one source.
        #expect((1...2 * Self.most).contains(most), "\(most)")
        #expect(answered > 0)
        for _ in 0..<20 { loop.takeTurn() }
        execute("numbers", 1)
        turns { peers.contains { $0.unread.count < 3 * subscriptions } }
        for peer in peers {
            var values: [String: [JSONValue]] = [:]
            for line in peer.takeLines() {
                let event = try #require(try RawJSON(validating: line).value()["params"])
                values[try #require(event["subscription"]?.string), default: []].append(event["value"] ?? .null)
            }
            #expect(values.count == subscriptions && values.values.allSatisfy { $0 == [0, 1, 0] }, "\(values)")
        }
        stop(peers + [echoes, other])
    }
}
