import RxRecords
import Dispatch
import Glibc
import Logging
import Rx
import RxJSON
import RxProtocol
import Testing
import TestSupport

@testable import RxHost
@testable import RxServer

/// Many more events than a reader takes, or than the daemon keeps: each event is either sent or counted as lost.
@Suite("A stalled reader", .countedApart)
struct StalledReaderTests {
    /// An action that emits the numbers below its input without a pause.
    static func numbers(_ name: String = "numbers", _ scheduler: WorkScheduler = .inline) -> ActionDefinition {
        ActionDefinition(name: name, kind: "test", scheduler: scheduler, fingerprint: "") { invocation in
            let count = invocation.input.value().int ?? 0
            return .create { observer in
                for number in 0..<count { observer.onNext(RawJSON(unchecked: Array(String(number).utf8))) }
                observer.onCompleted()
                return Disposables.create()
            }
        }
    }

    static func subscribe(
        _ peer: MemoryPeer, _ more: String = "", action: String = #""numbers""#
    ) async throws -> JSONValue {
        peer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"s","action":\#(action),"channels":["elements"]\#(more)}}"#
        )
        return try await peer.nextValue()
    }

    /// Has the numbers sent, and waits until they all are.
    static func emit(_ count: Int, on server: TestServer, action: String = "numbers") async throws {
        let writer = server.connectInMemory()
        writer.send(
            #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"\#(action)","input":\#(count)}}"#)
        #expect(try await writer.nextValue()["result"] != nil)
        await server.onLoop { server.server.delivery.deliverAll() }
    }

    /// The events of a reader of numbers. Each number follows the previous one, or a lag that counts those between.
    struct Reading {
        var received = 0
        var dropped = 0
        var lags = 0
        var last = -1
        var ended: String?
        /// How far a reader has come that goes on after the end, in events after the last one that it received.
        var skippedAtEnd: Int?
        private var sequence = 0
        private var cursor: UInt64 = 0
        /// Numbers that the lags since the last element account for.
        private var gap = 0

        mutating func take(_ line: String) throws {
            let event = try #require(try RawJSON(validating: line).value()["params"])
            sequence += 1
            try #require(event["seq"]?.int == sequence)
            switch event["channel"]?.string {
            case "elements":
                let number = try #require(event["value"]?.int)
                try #require(number == last + gap + 1, "after \(last) and a lag of \(gap) came \(number)")
                let text = try #require(event["cursor"]?.string?.split(separator: ":").last)
                let position = try #require(UInt64(text))
                try #require(position > cursor)
                cursor = position
                last = number
                gap = 0
                received += 1
            case "lag":
                let count = try #require(event["value"]?["dropped"]?.int)
                try #require(count > 0)
                lags += 1
                dropped += count
                gap += count
            case let channel:
                #expect(channel == "end")
                ended = event["value"]?["reason"]?.string
                let end = try #require(event["cursor"]?.string?.split(separator: ":").last.flatMap { UInt64($0) })
                skippedAtEnd = Int(end) - Int(cursor)
            }
        }

        /// Until `count` numbers are accounted for, or the stream has ended.
        mutating func read(_ count: Int, from peer: MemoryPeer) async throws {
            let deadline = ContinuousClock.now + RxServerTests.patience
            while received + dropped < count, ended == nil {
                try #require(ContinuousClock.now < deadline, "\(received) came, \(dropped) were reported as lost")
                let lines = peer.takeLines()
                if lines.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
                for line in lines { try take(line) }
            }
        }
    }

    @Test(
        "of very many elements costs its buffer, and gets the exact number of missed elements",
        arguments: [WorkScheduler.inline, .serial])
    func veryMany(_ scheduler: WorkScheduler) async throws {
        let count = 200_000 * Effort.times
        let buffer = 1000
        let server = try TestServer(definitions: [Self.numbers("numbers", scheduler)])
        let slow = server.connectInMemory()
        _ = try await Self.subscribe(slow, #","buffer":\#(buffer)"#)
        let output = await server.onLoop { LoopConfined(server.server.sessions.all.first!.output) }
        slow.stall()
        try await Self.emit(count, on: server)
        let queued = await server.onLoop { output.value.queuedBytes }
        // A line has less than 256 bytes.
        #expect(queued >= buffer * WaitingEntries.overhead, "\(queued)")
        #expect(queued <= Outbox.encodedBytes + (buffer + 1) * (WaitingEntries.overhead + 256), "\(queued)")
        slow.resume()
        var reading = Reading()
        try await reading.read(count, from: slow)
        #expect(reading.received + reading.dropped == count)
        #expect(reading.last == count - 1 && reading.received > 0 && reading.dropped > count / 2)
        await server.onLoop {}
        #expect(slow.unread == [])
        await server.stop()
    }

    @Test(
        "and the loop that is behind the work loses nothing that is kept, and counts the rest",
        arguments: [1 << 20, 2000])
    func loopBehind(_ kept: Int) async throws {
        let count = PendingEvents.eventsKept + 30_000
        var catchUp = CatchUpLimits()
        catchUp.events = kept
        catchUp.bytes = 1 << 30
        let server = try TestServer(definitions: [Self.numbers("numbers", .serial)], catchUp: catchUp)
        let reader = server.connectInMemory()
        _ = try await Self.subscribe(reader)
        let late = server.connectInMemory()
        // The loop is held up until the work, on its own thread, is through.
        let execution = await server.onLoop { () -> HostedExecution? in
            let action = server.host.registry["numbers"]!
            let request = ExecutionRequest(input: RawJSON(unchecked: Array("\(count)".utf8)), by: .host)
            guard case .accepted(let accepted) = server.host.submit(action, request) else { return nil }
            let execution = accepted.execution
            while server.host.log.record(of: execution).elements < count { usleep(1000) }
            return execution
        }
        _ = try #require(execution)
        var reading = Reading()
        try await reading.read(count, from: reader)
        #expect(reading.received + reading.dropped == count && reading.last == count - 1)
        if kept > count { #expect(reading.dropped == 0 || reading.dropped < PendingEvents.eventsKept) }
        // It is where everyone else is.
        _ = try await Self.subscribe(late)
        #expect(late.unread == [])
        await server.stop()
    }

    @Test("with drop-newest has the oldest events, one lag, and then later events")
    func dropNewest() async throws {
        let server = try TestServer(definitions: [Self.numbers()])
        let slow = server.connectInMemory()
        _ = try await Self.subscribe(slow, #","buffer":100,"overflow":"drop-newest""#)
        slow.stall()
        try await Self.emit(5000, on: server)
        slow.resume()
        var reading = Reading()
        try await reading.read(5000, from: slow)
        // The lines that were already encoded, then a full buffer, from the first number on without a gap.
        #expect(reading.lags == 1 && reading.last == reading.received - 1)
        #expect(reading.received >= 100 && reading.dropped == 5000 - reading.received)
        try await Self.emit(3, on: server)
        for number in 0..<3 { #expect(try await slow.nextValue()["params"]?["value"]?.int == number) }
        await server.stop()
    }

    @Test("that wants the oldest to be dropped has the newest, a buffer of them")
    func dropOldest() async throws {
        let server = try TestServer(definitions: [Self.numbers()])
        let slow = server.connectInMemory()
        _ = try await Self.subscribe(slow, #","buffer":100,"overflow":"drop-oldest""#)
        slow.stall()
        try await Self.emit(5000, on: server)
        slow.resume()
        var reading = Reading()
        try await reading.read(5000, from: slow)
        #expect(reading.lags == 1 && reading.last == 4999)
        #expect(reading.received >= 100 && reading.dropped == 5000 - reading.received)
        // A portion of deliveries counts them.
        #expect(await server.onLoop { server.server.context.dropped.count } == reading.dropped)
        await server.stop()
    }

    @Test("with overflow end has no gap: its stream ends after the buffered events, and the log names its client")
    func overflowEnds() async throws {
        let book = LogBook()
        let server = try TestServer(definitions: [Self.numbers()], logger: book.logger)
        let slow = server.connectInMemory(Peer(uid: 1234, gid: 1234, pid: 4321, groups: []))
        slow.send(#"{"jsonrpc":"2.0","id":0,"method":"server.hello","params":{"client":"snail"}}"#)
        _ = try await slow.nextValue()
        _ = try await Self.subscribe(slow, #","buffer":100,"overflow":"end""#)
        slow.stall()
        try await Self.emit(5000, on: server)
        let entry = try #require(book.all.first { $0.fields["subscription"] != nil })
        #expect(entry.level == .notice)
        #expect(entry.fields["uid"] == "1234" && entry.fields["pid"] == "4321" && entry.fields["client"] == "snail")
        #expect(entry.fields["subscription"] == "s" && entry.fields["waiting"] == "100")
        #expect(book.all.count { $0.fields["subscription"] != nil } == 1)
        let subscriptions = await server.onLoop { server.server.sessions.subscriptions.count }
        #expect(subscriptions == 0, "what happens later concerns it no longer")
        slow.resume()
        var reading = Reading()
        try await reading.read(5000, from: slow)
        #expect(reading.ended == "limit" && reading.lags == 0)
        #expect(reading.received > 100 && reading.last == reading.received - 1)
        #expect(reading.skippedAtEnd == 0, "a reader that comes back goes on with the event that found no room")
        // The connection stays open and keeps its place in the stream.
        let answer = try await Self.subscribe(slow)
        #expect(answer["result"] != nil)
        await server.stop()
    }

    @Test("shares the limit of waiting bytes with all connections of its user, and with no others")
    func bytesOfUser() async throws {
        var limits = Limits()
        limits.bytesPerUid = 300_000
        let server = try TestServer(definitions: [Self.numbers()], limits: limits)
        let slow = (0..<5).map { _ in server.connectInMemory(uid: 1000) }
        for peer in slow {
            _ = try await Self.subscribe(peer)
            peer.stall()
        }
        let other = server.connectInMemory(uid: 1001)
        _ = try await Self.subscribe(other)
        other.stall()
        // Few per turn: a user's waiting bytes are counted when they are written.
        let rounds = 100
        let each = 100
        for _ in 0..<rounds { try await Self.emit(each, on: server) }
        let (user, stranger) = await server.onLoop {
            server.server.sessions.all.reduce(into: (0, 0)) { sums, session in
                if session.client.peer.uid == 1000 { sums.0 += session.output.queuedBytes }
                if session.client.peer.uid == 1001 { sums.1 += session.output.queuedBytes }
            }
        }
        // Each connection may write the events of one turn before they are counted.
        #expect(user > 200_000 && user <= limits.bytesPerUid + 5 * each * 256, "\(user)")
        #expect(stranger > Outbox.encodedBytes + Limits().buffer * 100, "the other has all of its buffer: \(stranger)")
        for peer in slow + [other] { peer.resume() }
        for peer in slow + [other] {
            var accounted = 0
            var sequence = 0
            let deadline = ContinuousClock.now + RxServerTests.patience
            while accounted < rounds * each {
                try #require(ContinuousClock.now < deadline, "\(accounted) accounted for")
                for line in peer.takeLines() {
                    let event = try #require(try RawJSON(validating: line).value()["params"])
                    sequence += 1
                    try #require(event["seq"]?.int == sequence)
                    accounted += event["value"]?["dropped"]?.int ?? 1
                }
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(accounted == rounds * each)
        }
        // There is room again.
        try await Self.emit(1, on: server)
        for peer in slow { #expect(try await peer.nextValue()["params"]?["value"] == 0) }
        await server.stop()
    }
}
