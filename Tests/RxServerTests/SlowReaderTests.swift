import RxAction
import RxRecords
import Dispatch
import Glibc
import Rx
import RxHost
import RxJSON
import RxLoop
import RxProtocol
import Testing
import TestSupport

@testable import RxServer

@Suite("A slow reader", .countedApart)
struct SlowReaderTests {
    /// Sends `count` numbers as fast as it can.
    private static func numbers(_ count: Int) -> ActionDefinition {
        ActionDefinition(name: "numbers", kind: "test", scheduler: .inline, fingerprint: "") { _ in
            .create { observer in
                for number in 0..<count { observer.onNext(RawJSON(unchecked: Array(String(number).utf8))) }
                observer.onCompleted()
                return Disposables.create()
            }
        }
    }

    @Test("loses its oldest events, gets a lag with their number and range, and the newest in order")
    func lag() async throws {
        let count = 50_000
        let server = try TestServer(definitions: [SlowReaderTests.numbers(count)])
        let slow = server.connectInMemory()
        slow.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"s","action":"numbers","channels":["elements"],"buffer":100}}"#
        )
        _ = try await slow.nextValue()
        slow.stall()
        let writer = server.connectInMemory()
        writer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"numbers"}}"#)
        let answer = try await writer.nextValue()
        #expect(answer["result"]?["truncated"]?.bool == true)
        #expect(answer["result"]?["elements"]?.array?.count == Limits().elementsPerReply)
        _ = await server.onLoop { server.server.delivery.deliverAll() }
        let queued = await server.onLoop { server.server.sessions.all.map(\.output.queuedBytes).max()! }
        let bound = Outbox.encodedBytes + 101 * (WaitingEntries.overhead + 300)
        #expect(queued < bound, "what waits is bounded: \(queued)")

        slow.resume()
        var sequence = 0
        var expected = 0
        var dropped = 0
        while expected < count {
            let event = try #require(try await slow.nextValue()["params"])
            sequence += 1
            #expect(event["seq"]?.int == sequence)
            if event["channel"]?.string == "lag" {
                #expect(dropped == 0, "one gap is told once")
                dropped = try #require(event["value"]?["dropped"]?.int)
                expected += dropped
            } else {
                try #require(event["value"]?.int == expected)
                expected += 1
            }
        }
        #expect(dropped > count / 2)
        await server.stop()
    }

    @Test("that takes a few bytes at a time gets the same as a quick one")
    func trickle() async throws {
        let count = 100
        let server = try TestServer(definitions: [SlowReaderTests.numbers(count)])
        let (slow, quick, writer) = (server.connectInMemory(), server.connectInMemory(), server.connectInMemory())
        for reader in [slow, quick] {
            reader.send(
                #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                    + #""params":{"subscription":"s","action":"numbers","channels":["elements"]}}"#
            )
            _ = try await reader.nextValue()
        }
        slow.take(atMost: 7)
        for round in 0..<2 {
            writer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"numbers"}}"#)
            _ = try await writer.nextValue()
            for number in 0..<count {
                let line = try #require(await quick.nextLine())
                #expect(await slow.nextLine() == line)
                #expect(line.contains("\"seq\":\(round * count + number + 1),"))
                #expect(line.hasSuffix("\"value\":\(number)}}"))
            }
        }
        await server.stop()
    }

    @Test("gets of a level only the newest, and no lag for it")
    func levels() async throws {
        let server = try TestServer(definitions: [Builtin.echo.definition(name: "echo")])
        let slow = server.connectInMemory()
        slow.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"s","action":"echo","channels":["executing","enabled"]}}"#
        )
        _ = try await slow.nextValue()
        slow.stall()
        let writer = server.connectInMemory()
        let rounds = 1000
        for _ in 0..<rounds {
            writer.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo"}}"#)
        }
        for _ in 0..<rounds { _ = try await writer.nextValue() }
        _ = await server.onLoop { server.server.delivery.deliverAll() }
        let queued = await server.onLoop { server.server.sessions.all.map(\.output.queuedBytes).max()! }
        #expect(queued < Outbox.encodedBytes + 4096)

        slow.resume()
        slow.send(#"{"jsonrpc":"2.0","id":2,"method":"unsubscribe","params":{"subscription":"s"}}"#)
        var last: [String: JSONValue] = [:]
        var events = 0
        while true {
            let message = try await slow.nextValue()
            guard let event = message["params"] else { continue }
            events += 1
            #expect(event["seq"]?.int == events)
            let channel = try #require(event["channel"]?.string)
            #expect(channel != "lag")
            if channel == "end" { break }
            last[channel] = event["value"]
        }
        #expect(events < rounds)
        #expect(last["executing"] == .bool(false))
        #expect(last["enabled"]?["enabled"] == .bool(true))
        await server.stop()
    }

    @Test("does not get again a level that changed and changed back meanwhile")
    func knownLevels() async throws {
        let server = try TestServer(definitions: [
            Builtin.echo.definition(name: "echo"), StalledReaderTests.numbers(),
        ])
        let slow = server.connectInMemory()
        slow.send(
            #"{"jsonrpc":"2.0","id":1,"method":"subscribe","#
                + #""params":{"subscription":"many","action":"numbers","channels":["elements"]}}"#
        )
        slow.send(
            #"{"jsonrpc":"2.0","id":2,"method":"subscribe","#
                + #""params":{"subscription":"s","action":"echo","channels":["executing","enabled"]}}"#
        )
        _ = try await slow.nextValue()
        let echo = try await slow.nextValue()["result"]?["snapshot"]?["actions"]?["echo"]
        var told = ["executing": echo?["executing"], "enabled": echo?["enabled"]]
        let count = 1000
        for round in 1...2 {
            slow.stall()
            // What follows these finds no room, and waits.
            try await StalledReaderTests.emit(count, on: server)
            for _ in 0..<3 {
                await server.onLoop {
                    _ = server.host.submit(
                        server.host.registry["echo"]!, ExecutionRequest(input: .null, by: .host))
                    server.server.delivery.deliverAll()
                }
            }
            slow.resume()
            for _ in 0..<count { #expect(try await slow.nextValue()["params"]?["subscription"] == "many") }
            // And now it keeps up.
            await server.onLoop {
                _ = server.host.submit(server.host.registry["echo"]!, ExecutionRequest(input: .null, by: .host))
                server.server.delivery.deliverAll()
            }
            for number in 1...4 {
                let event = try #require(try await slow.nextValue()["params"])
                #expect(event["seq"]?.int == (round - 1) * 4 + number)
                let channel = try #require(event["channel"]?.string)
                let value = channel == "executing" ? event["value"] : event["value"]?["enabled"]
                #expect(value != told[channel], "\(event)")
                told[channel] = value
            }
            #expect(told == ["executing": .bool(false), "enabled": .bool(true)])
        }
        await server.stop()
    }

    @Test("that floods with requests is read no further than its answers are taken")
    func flood() async throws {
        let server = try TestServer(definitions: [Builtin.echo.definition(name: "echo")])
        let path = try await server.listen()
        let flooder = try SocketPeer(path: path)
        let payload = String(repeating: "x", count: 1000)
        let request = Array(
            #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"echo","input":"\#(payload)"}}"#.utf8
                + [10])
        var sent = 0
        // Until the daemon has stopped reading and the kernel's buffers are full.
        var idle = 0
        while idle < 50, sent < 20_000 {
            if flooder.trySend(request) {
                sent += 1
                idle = 0
            } else {
                idle += 1
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        #expect(sent < 20_000, "the flood was never held back")
        let queued = await server.onLoop { server.server.sessions.all.map(\.output.queuedBytes).max()! }
        #expect(queued <= Limits().outboxBytes + 70_000, "\(queued)")
        // Another client is served meanwhile.
        let other = try SocketPeer(path: path)
        other.send(#"{"jsonrpc":"2.0","id":7,"method":"action.execute","params":{"action":"echo","input":1}}"#)
        #expect(try await other.nextValue()["id"]?.int == 7)
        // And nothing was lost: each request has its answer.
        for _ in 0..<sent { #expect(try await flooder.nextValue()["result"]?["elements"]?.array?.count == 1) }
        await server.stop()
    }

    /// Sends `count` numbers from its own thread, and waits while its flow is held.
    private static func patientNumbers(_ count: Int, sent: Locked<Int>) -> ActionDefinition {
        ActionDefinition(name: "numbers", kind: "test", fingerprint: "") { invocation in
            .create { observer in
                let isHeld = Locked(false)
                invocation.flow?.onChange { held in isHeld.withLock { $0 = held } }
                DispatchQueue(label: "numbers").async {
                    for number in 0..<count {
                        while isHeld.withLock({ $0 }) { usleep(100) }
                        observer.onNext(RawJSON(unchecked: Array(String(number).utf8)))
                        sent.withLock { $0 = number + 1 }
                        // As a process on the loop: a portion at a time.
                        if number % 100 == 0 { usleep(200) }
                    }
                    observer.onCompleted()
                }
                return Disposables.create()
            }
        }
    }

    /// Waits until the stream of a client holds back its work.
    private static func untilHolding(_ server: TestServer) async throws {
        let deadline = ContinuousClock.now + RxServerTests.patience
        while await !server.onLoop({ server.server.sessions.all.contains { $0.output.holdsWork } }) {
            try #require(ContinuousClock.now < deadline, "nothing was held back")
        }
    }

    @Test("that requested the execution holds its work back and loses nothing")
    func patience() async throws {
        let count = 20_000
        let sent = Locked(0)
        let server = try TestServer(definitions: [SlowReaderTests.patientNumbers(count, sent: sent)])
        let slow = server.connectInMemory()
        slow.stall()
        slow.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"numbers","stream":"x"}}"#)
        // It gets as far as the buffer, and is held back there.
        try await SlowReaderTests.untilHolding(server)
        #expect(sent.withLock { $0 } < count)

        slow.resume()
        _ = try await slow.nextValue()
        for number in 0..<count {
            let event = try #require(try await slow.nextValue()["params"])
            try #require(event["seq"]?.int == number + 1 && event["value"]?.int == number, "\(event)")
        }
        #expect(try await slow.nextValue()["params"]?["value"]?["reason"] == "completed")
        await server.stop()
    }

    @Test("that joined an execution does not hold its work back: whoever requested it gets everything meanwhile")
    func joined() async throws {
        let count = 20_000
        let sent = Locked(0)
        var definition = SlowReaderTests.patientNumbers(count, sent: sent)
        definition.overlap = .join
        let server = try TestServer(definitions: [definition])
        let (first, joining) = (server.connectInMemory(), server.connectInMemory())
        let request = #"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"numbers","stream":"x"}}"#
        // The work goes on when its first client reads on.
        first.stall()
        first.send(request)
        try await SlowReaderTests.untilHolding(server)
        joining.send(request)
        #expect(try await joining.nextValue()["result"]?["disposition"] == "joined")
        joining.stall()
        first.resume()
        _ = try await first.nextValue()
        for number in 0..<count {
            let event = try #require(try await first.nextValue()["params"])
            try #require(event["seq"]?.int == number + 1 && event["value"]?.int == number, "\(event)")
        }
        #expect(try await first.nextValue()["params"]?["value"]?["reason"] == "completed")
        joining.resume()
        await server.stop()
    }

    @Test("that requested the execution loses nothing of elements that are longer than its buffer either")
    func patienceWithLongElements() async throws {
        let count = 8
        var limits = Limits()
        limits.outboxBytes = 100_000
        let pad = String(repeating: "x", count: 5 * limits.outboxBytes)
        let loop = Locked<EventLoop?>(nil)
        let long = ActionDefinition(name: "long", kind: "test", fingerprint: "") { invocation in
            .create { observer in
                let isHeld = Locked(false)
                invocation.flow?.onChange { held in isHeld.withLock { $0 = held } }
                // As a process on the loop: an element in a turn, and none while it is held.
                @Sendable func emit(_ number: Int) {
                    guard !isHeld.withLock({ $0 }) else { return loop.withLock { $0 }!.execute { emit(number) } }
                    guard number < count else { return observer.onCompleted() }
                    observer.onNext(RawJSON(unchecked: Array("\"\(number)\(pad)\"".utf8)))
                    loop.withLock { $0 }!.execute { emit(number + 1) }
                }
                loop.withLock { $0 }!.execute { emit(0) }
                return Disposables.create()
            }
        }
        let server = try TestServer(definitions: [long], limits: limits)
        loop.withLock { $0 = server.loop }
        let slow = server.connectInMemory()
        slow.stall()
        slow.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"long","stream":"x"}}"#)
        try await SlowReaderTests.untilHolding(server)
        slow.resume()
        _ = try await slow.nextValue()
        for number in 0..<count {
            let event = try #require(try await slow.nextValue()["params"])
            #expect(event["seq"]?.int == number + 1 && event["value"]?.string?.hasPrefix("\(number)x") == true)
        }
        #expect(try await slow.nextValue()["params"]?["value"]?["reason"] == "completed")
        await server.stop()
    }

    @Test("that goes away, or is given up, holds nothing back any longer")
    func impatience() async throws {
        for isGivenUp in [true, false] {
            let sent = Locked(0)
            let server = try TestServer(definitions: [SlowReaderTests.patientNumbers(20_000, sent: sent)])
            let slow = server.connectInMemory()
            slow.stall()
            slow.send(#"{"jsonrpc":"2.0","id":1,"method":"action.execute","params":{"action":"numbers","stream":"x"}}"#)
            try await SlowReaderTests.untilHolding(server)
            await server.onLoop {
                for session in server.server.sessions.all {
                    if isGivenUp { session.output.giveUpReader() } else { slow.close() }
                }
            }
            #expect(await eventually { sent.withLock { $0 } == 20_000 })
            #expect(await eventually { server.host.log.inFlight.isEmpty })
            slow.resume()
            await server.stop()
        }
    }
}
