import Glibc
import JSONRPC
public import RxJSON
import RxProtocol
import Synchronization
import TestSupport
import Testing

@testable import RxClient

@Suite(.ownThreads(limit: .seconds(60)))
struct ClientTests {
    @Test("pipelined calls are distinguished, whatever the order of the answers")
    func outOfOrder() async throws {
        let waiting = Mutex<[FakeDaemon.Request]>([])
        try await withFakeDaemon { request, peer in
            let all = waiting.withLock {
                $0.append(request)
                return $0
            }
            guard all.count == 3 else { return }
            for request in all.reversed() {
                peer.answer(request, #"{"was":"\#(request.method)"}"#)
            }
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            async let a = client.call("a")
            async let b = client.call("b", #"{"x":1}"#)
            async let c = client.call("c", "[1]")
            #expect(try await a.text == #"{"was":"a"}"#)
            #expect(try await b.text == #"{"was":"b"}"#)
            #expect(try await c.text == #"{"was":"c"}"#)
            let asked = daemon.requests
            #expect(asked.first { $0.method == "a" }?.params == .null)
            #expect(asked.first { $0.method == "b" }?.params == ["x": 1])
            #expect(asked.first { $0.method == "c" }?.params == [1])
        }
    }

    @Test("an error reply is thrown with its code, message and data")
    func refused() async throws {
        try await withFakeDaemon { request, peer in
            peer.send(
                #"{"jsonrpc":"2.0","id":\#(request.id),"error":{"code":-32006,"message":"no such action: x","#
                    + #""data":{"name":"notFound","action":"x"}}}"#)
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let error = await #expect(throws: ClientError.self) { try await client.call("action.describe") }
            guard case .refused(let error)? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(error.code == -32006)
            #expect(error.message == "no such action: x")
            #expect(error.data?.text == #"{"name":"notFound","action":"x"}"#)
        }
    }

    @Test("unknown notifications, channels, streams, fields and blank lines are ignored")
    func unknown() async throws {
        try await withFakeDaemon { request, peer in
            peer.send("")
            peer.send(#"{"jsonrpc":"2.0","method":"weather","params":{"rain":true}}"#)
            peer.send(#"{"jsonrpc":"2.0","id":99,"method":"ask.client"}"#)
            peer.send(#"{"jsonrpc":"2.0","id":12345,"result":"for nobody"}"#)
            peer.event("nosuch", 1, #""channel":"elements","value":1"#)
            peer.send(#"{"jsonrpc":"2.0","new":1,"id":\#(request.id),"result":{"subscription":"s1"}}"#)
            peer.event(request.stream, 1, #""channel":"smells","value":1"#)
            peer.event(request.stream, 2, #""channel":"elements","value":2,"colour":"red""#)
            peer.send("\r")
            peer.end(request.stream, 3)
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let stream = try await client.subscribe(SubscribeRequest(action: ["a"]))
            var records: [String] = []
            for try await event in stream.events {
                records.append(event.record.text)
            }
            #expect(
                records == [
                    #"{"seq":2,"cursor":"e:2","channel":"elements","value":2,"colour":"red"}"#,
                    #"{"seq":3,"cursor":"e:3","channel":"end","value":{"reason":"completed"}}"#,
                ])
        }
    }

    @Test("a stream's events come in order, with what they carry, and stop at its end")
    func events() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, #"{"execution":"01JA","disposition":"started","subscription":"\#(request.stream)"}"#)
            peer.event(
                request.stream, 1, #""channel":"elements","action":"deploy","execution":"01JA","value":{"step":"pull"}"#
            )
            peer.event(
                request.stream, 2,
                #""channel":"errors","action":"deploy","error":{"code":-32001,"message":"exit 3","data":{"exit":3}}"#)
            peer.event(request.stream, 3, #""channel":"end","value":{"reason":"failed"}"#)
            peer.event(request.stream, 4, #""channel":"elements","value":"after the end""#)
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let stream = try await client.stream(
                ExecuteRequest(action: "deploy", input: #"{"a":1}"#, onDisconnect: .cancel, timeout: "1s"))
            #expect(stream.reply.value()["execution"] == "01JA")
            #expect(
                daemon.requests[0].params == [
                    "action": "deploy", "input": ["a": 1], "stream": .string(stream.subscription),
                    "onDisconnect": "cancel", "timeout": "1s",
                ])
            var events: [StreamEvent] = []
            for try await event in stream.events {
                events.append(event)
            }
            try #require(events.count == 3)
            #expect(events[0].value?.text == #"{"step":"pull"}"#)
            #expect(events[0].source == "deploy")
            #expect(events[0].execution == "01JA")
            #expect(events[0].cursor == "e:1")
            #expect(events[0].seq == 1)
            guard case .error(let error) = events[1].content else { return #expect(Bool(false)) }
            #expect(error.code == -32001)
            #expect(error.data?.text == #"{"exit":3}"#)
            #expect(events[2].reason == .failed)
        }
    }

    @Test("streams of one connection are distinguished")
    func twoStreams() async throws {
        let streams = Mutex<[String]>([])
        try await withFakeDaemon { request, peer in
            peer.answer(request, "{}")
            let names = streams.withLock {
                $0.append(request.stream)
                return $0
            }
            guard names.count == 2 else { return }
            for number in 1...3 {
                for name in names {
                    peer.event(name, number, #""channel":"elements","value":"\#(name)-\#(number)""#)
                }
            }
            for name in names {
                peer.end(name, 4)
            }
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let streams = [
                try await client.subscribe(SubscribeRequest(action: ["a"])),
                try await client.subscribe(SubscribeRequest(action: ["a", "b"], channels: [.elements], buffer: 7)),
            ]
            #expect(streams[0].subscription != streams[1].subscription)
            for stream in streams {
                var values: [String?] = []
                for try await event in stream.events where event.channel == .elements {
                    values.append(event.value?.value().string)
                }
                #expect(values == (1...3).map { "\(stream.subscription)-\($0)" })
            }
            #expect(daemon.requests[0].params["action"] == "a")
            #expect(
                daemon.requests[1].params == [
                    "subscription": .string(streams[1].subscription), "action": ["a", "b"], "channels": ["elements"],
                    "buffer": 7,
                ])
        }
    }

    @Test("when the daemon vanishes, calls fail, streams throw, and later calls fail too")
    func vanishing() async throws {
        try await withFakeDaemon { request, peer in
            guard request.method == "subscribe" else { return }
            peer.answer(request, "{}")
            peer.event(request.stream, 1, #""channel":"elements","value":1"#)
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let stream = try await client.subscribe(SubscribeRequest(action: ["a"]))
            let unanswered = Task { try await client.call("never") }
            try await eventually("the call has arrived") { daemon.requests.count == 2 }
            daemon.vanish()
            await expectClosed { try await unanswered.value }
            var iterator = stream.makeAsyncIterator()
            #expect(try await iterator.next()?.event?.value?.text == "1")
            await expectClosed { try await iterator.next() }
            await expectClosed { try await client.call("later") }
        }
    }

    private func expectClosed<Value>(_ body: () async throws -> Value) async {
        do {
            _ = try await body()
            Issue.record("it succeeded")
        } catch ClientError.closed {
        } catch {
            Issue.record(error)
        }
    }

    @Test("a path where nobody listens is an error with path and errno")
    func unreachable() async throws {
        let path = "/tmp/rx-client-nobody/rxd.sock"
        let error = await #expect(throws: ClientError.self) { try await Client.connect(path: path) }
        guard case .unreachable(path, ENOENT)? = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(error?.description == "cannot reach the daemon at \(path): No such file or directory (ENOENT)")
    }

    @Test("what is no JSON-RPC ends the connection with a protocol violation")
    func violation() async throws {
        try await withFakeDaemon { _, peer in
            peer.send("HTTP/1.1 400 Bad Request")
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let error = await #expect(throws: ClientError.self) { try await client.call("a") }
            guard case .protocolViolation? = error else { return #expect(Bool(false), "\(error as Any)") }
        }
    }

    @Test("an error without an id is about the connection, and all that is pending fails with it")
    func errorWithoutID() async throws {
        try await withFakeDaemon { _, peer in
            peer.send(
                #"{"jsonrpc":"2.0","id":null,"error":{"code":-32008,"message":"too many connections","#
                    + #""data":{"name":"limitReached"}}}"#)
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let error = await #expect(throws: ClientError.self) { try await client.call("a") }
            guard case .refused(let error)? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(error.code == -32008)
        }
    }

    @Test("a reply much longer than a request arrives whole")
    func longReply() async throws {
        let text = String(repeating: "long ", count: 1_000_000)
        try await withFakeDaemon { request, peer in
            peer.answer(request, "\"\(text)\"")
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            #expect(try await client.call("a").value().string == text)
        }
    }

    @Test("a request longer than the daemon's line is refused here, and the connection goes on")
    func tooLarge() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, "1")
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let long = RawJSON([.string(String(repeating: "x", count: 1_048_576))])
            let error = await #expect(throws: ClientError.self) { try await client.call("a", long) }
            guard case .tooLarge(_, limit: 1_048_576)? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(try await client.call("b").text == "1")
            #expect(daemon.requests.map(\.method) == ["b"])
        }
    }

    @Test("requests to a daemon that does not read are bounded")
    func congested() async throws {
        try await withFakeDaemon { _, peer in
            peer.stopReading()
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let long = RawJSON([.string(String(repeating: "x", count: 1_000_000))])
            let refused = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        do {
                            _ = try await client.call("a", long)
                            return false
                        } catch ClientError.congested {
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                // The first one refused shows the bound; closing lets the others go.
                var refused = 0
                while let isRefused = await group.next() {
                    refused += isRefused ? 1 : 0
                    client.close()
                }
                return refused
            }
            #expect(refused >= 1)
            #expect(refused < 20)
        }
    }

    @Test("a canceled task stops waiting, and the late reply goes nowhere")
    func cancelled() async throws {
        let late = Mutex<FakeDaemon.Request?>(nil)
        try await withFakeDaemon { request, peer in
            if request.method == "slow" {
                late.withLock { $0 = request }
            } else {
                if let request = late.withLock({ $0 }) { peer.answer(request, "0") }
                peer.answer(request, "1")
            }
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let slow = Task { try await client.call("slow") }
            try await eventually("it is asked") { !daemon.requests.isEmpty }
            slow.cancel()
            let error = await #expect(throws: ClientError.self) { try await slow.value }
            guard case .cancelled? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(try await client.call("next").text == "1")
        }
    }

    @Test("letting go of a stream before its end unsubscribes; after it, nothing is sent")
    func lettingGo() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, "{}")
            if request.params["action"] == "ends" { peer.end(request.stream, 1) }
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            var ended: EventStream? = try await client.subscribe(SubscribeRequest(action: ["ends"]))
            for try await _ in ended! {}
            ended = nil
            var stream: EventStream? = try await client.subscribe(SubscribeRequest(action: ["goes on"]))
            let name = stream?.subscription
            stream = nil
            try await eventually("it is unsubscribed") { daemon.requests.count == 3 }
            #expect(daemon.requests[2].method == "unsubscribe")
            #expect(daemon.requests[2].params["subscription"]?.string == name)
        }
    }

    @Test("a consumer whose task is canceled gets no more events")
    func cancelledConsumer() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, "{}")
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let stream = try await client.subscribe(SubscribeRequest(action: ["quiet"]))
            let consumer = Task {
                var count = 0
                for try await _ in stream { count += 1 }
                return count
            }
            consumer.cancel()
            #expect(try await consumer.value == 0)
        }
    }

    @Test("a consumer far behind costs bounded memory, delays no call, and learns what it missed")
    func slowConsumer() async throws {
        let sent = EventBuffer.limit + 500
        try await withFakeDaemon { request, peer in
            peer.answer(request, "{}")
            guard request.method == "subscribe" else { return }
            for number in 1...sent {
                peer.event(request.stream, number, #""channel":"elements","action":"a","value":\#(number)"#)
            }
            peer.event(request.stream, sent + 1, #""channel":"executing","action":"a","value":true"#)
            peer.event(request.stream, sent + 2, #""channel":"executing","action":"a","value":false"#)
            peer.end(request.stream, sent + 3)
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            let stream = try await client.subscribe(SubscribeRequest(action: ["a"]))
            // Answered after all events, so they have all come by then.
            #expect(try await client.call("other").text == "{}")
            var events: [StreamEvent] = []
            for try await event in stream.events {
                events.append(event)
            }
            try #require(events.count == EventBuffer.limit + 3)
            #expect(events.prefix(EventBuffer.limit).map(\.seq) == Array(1...EventBuffer.limit))
            let told = events.suffix(3).map { $0.value?.text }
            #expect(
                told == [
                    #"{"dropped":\#(sent - EventBuffer.limit),"first":"e:\#(EventBuffer.limit + 1)","#
                        + #""last":"e:\#(sent)"}"#,
                    "false", #"{"reason":"completed"}"#,
                ])
        }
    }
}

extension RawJSON: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        self.init(unchecked: Array(text.utf8))
    }
}
