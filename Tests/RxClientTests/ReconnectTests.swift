import Glibc
import JSONRPC
import RxJSON
import RxProtocol
import Synchronization
import TestSupport
import Testing

@testable import RxClient

/// A client that reconnects, against a daemon that drops the connection at chosen points.
@Suite(.ownThreads(limit: .seconds(60)))
struct ReconnectTests {
    /// Soon, so that tests do not wait.
    static let soon = Reconnecting(first: .milliseconds(1), longest: .milliseconds(10))

    private static func refuse(_ request: FakeDaemon.Request, _ peer: FakeDaemon.Peer, _ code: ErrorCode) {
        peer.send(
            #"{"jsonrpc":"2.0","id":\#(request.id),"error":{"code":\#(code.rawValue),"message":"\#(code.name)","#
                + #""data":{"name":"\#(code.name)"}}}"#)
    }

    /// A daemon that has emitted 1 … `count` on `a`, and drops the connection after every third one it has sent. With
    /// another epoch after some of the drops it answers `cursorExpired`.
    private static func counting(
        to count: Int, expiringAfter expiring: Set<Int> = []
    ) -> @Sendable (FakeDaemon.Request, FakeDaemon.Peer) -> Void {
        let epoch = Mutex(0)
        return { request, peer in
            guard request.method == "subscribe" else { return }
            let current = epoch.withLock { $0 }
            var first = 1
            if let cursor = request.params["from"]?["cursor"]?.string {
                let parts = cursor.split(separator: ":")
                guard parts[0] == "e\(current)" else { return refuse(request, peer, .cursorExpired) }
                first = Int(parts[1])! + 1
            } else if current > 0 {
                // After a new start, two were emitted while nobody was there.
                first = epoch.withLock { _ in expiring.sorted()[current - 1] } + 3
            }
            peer.answer(
                request,
                #"{"subscription":"\#(request.stream)","cursor":"e\#(current):\#(first - 1)","#
                    + #""snapshot":{"actions":{}}}"#
            )
            for (index, number) in (first..<first + 3).enumerated() {
                let place =
                    #""subscription":"\#(request.stream)","seq":\#(index + 1),"cursor":"e\#(current):\#(number)""#
                guard number <= count else {
                    return peer.send(
                        #"{"jsonrpc":"2.0","method":"event","#
                            + #""params":{\#(place),"channel":"end","value":{"reason":"completed"}}}"#
                    )
                }
                peer.send(
                    #"{"jsonrpc":"2.0","method":"event","#
                        + #""params":{\#(place),"channel":"elements","action":"a","value":\#(number)}}"#
                )
                if expiring.contains(number) {
                    epoch.withLock { $0 += 1 }
                    break
                }
            }
            peer.close()
        }
    }

    @Test("a subscription goes on with no gap and no duplicate, however often its connection is dropped")
    func resumes() async throws {
        try await withFakeDaemon(ReconnectTests.counting(to: 100)) { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            let stream = try await client.subscribe(SubscribeRequest(action: ["a"], channels: [.elements]))
            var values: [String] = []
            for try await element in stream {
                guard case .event(let event) = element else { return #expect(Bool(false), "\(element)") }
                if event.channel == .elements { values.append(event.value?.text ?? "") }
            }
            #expect(values == (1...100).map(String.init))
            #expect(daemon.requests.count == 34)
            #expect(
                daemon.requests.allSatisfy {
                    $0.stream == stream.subscription && $0.params["channels"] == ["elements"]
                })
            let reconnection = try #require(await stream.reconnection)
            #expect(reconnection.isResumed)
            #expect(reconnection.after == "e0:99")
        }
    }

    @Test("what could not be resumed is a gap in its place, with the snapshot from which it goes on")
    func gaps() async throws {
        try await withFakeDaemon(ReconnectTests.counting(to: 20, expiringAfter: [5, 12])) { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            let stream = try await client.subscribe(SubscribeRequest(action: ["a"]))
            var seen: [String] = []
            for try await element in stream {
                switch element {
                case .event(let event) where event.channel == .elements: seen.append(event.value?.text ?? "")
                case .event: break
                case .gap(let gap):
                    #expect(!gap.isResumed)
                    #expect(gap.snapshot?.text == #"{"actions":{}}"#)
                    seen.append("\(gap.after ?? "") to \(gap.cursor ?? "")")
                }
            }
            var expected = (1...5).map(String.init)
            expected.append("e0:5 to e1:7")
            expected += (8...12).map(String.init)
            expected.append("e1:12 to e2:14")
            expected += (15...20).map(String.init)
            #expect(seen == expected)
        }
    }

    @Test("the end event of a daemon that stops does not end a stream, which continues after its last event")
    func shutdown() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, #"{"cursor":"e:0","snapshot":{}}"#)
            if request.params["from"] == nil {
                peer.event(request.stream, 1, #""channel":"elements","value":1"#)
                peer.event(request.stream, 2, #""channel":"end","value":{"reason":"shutdown"}"#)
                peer.close()
            } else {
                // After the last event that the reader has seen, and not after the end.
                #expect(request.params["from"]?["cursor"] == "e:1")
                peer.end(request.stream, 3)
            }
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            var ends: [EndReason?] = []
            for try await event in try await client.subscribe(SubscribeRequest(action: ["a"])).events {
                if event.channel == .end { ends.append(event.reason) }
            }
            #expect(ends == [.completed])
        }
    }

    @Test("a call in flight fails and is not repeated; one with a key is, and a subscription")
    func inFlight() async throws {
        let drops = Mutex(3)
        try await withFakeDaemon { request, peer in
            let isToDrop = drops.withLock {
                $0 -= 1
                return $0 >= 0
            }
            guard !isToDrop else { return peer.close() }
            peer.answer(request, #"{"execution":"1","elements":[]}"#)
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            let error = await #expect(throws: ClientError.self) {
                try await client.execute(ExecuteRequest(action: "once"))
            }
            guard case .closed? = error else { return #expect(Bool(false), "\(error as Any)") }
            _ = try await client.execute(ExecuteRequest(action: "keyed", key: "k"))
            drops.withLock { $0 = 1 }
            _ = try await client.subscribe(SubscribeRequest(action: ["followed"]))
            let asked = daemon.requests.compactMap { $0.params["action"]?.string }
            #expect(asked == ["once", "keyed", "keyed", "keyed", "followed", "followed"])
        }
    }

    @Test("what ends the daemon each time is not repeated for ever")
    func poison() async throws {
        try await withFakeDaemon { _, peer in
            peer.close()
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            let error = await #expect(throws: ClientError.self) {
                try await client.execute(ExecuteRequest(action: "poison", key: "k"))
            }
            guard case .closed? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(daemon.requests.count == 1 + Link.mostRepetitions)
        }
    }

    @Test("calls made while there is no daemon wait for it, in order")
    func waits() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, "1")
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            _ = try await client.call("before")
            daemon.goAway()
            try await eventually("it is noticed") { await client.isWaiting }
            async let first = client.call("first")
            try await eventually("it waits") { await client.waitingCount == 1 }
            async let second = client.call("second")
            try await eventually("both wait") { await client.waitingCount == 2 }
            daemon.comeBack()
            #expect(try await [first, second].map(\.text) == ["1", "1"])
            #expect(daemon.requests.map(\.method) == ["before", "first", "second"])
        }
    }

    @Test("calls wait no longer than patience, and fail as the last attempt did")
    func patience() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, "1")
        } _: { daemon in
            var policy = ReconnectTests.soon
            policy.patience = .milliseconds(30)
            let client = try await Client.connect(path: daemon.path, reconnecting: policy)
            daemon.goAway()
            try await eventually("it is noticed") { await client.isWaiting }
            let error = await #expect(throws: ClientError.self) { try await client.call("a") }
            guard case .unreachable(daemon.path, ENOENT)? = error else {
                return #expect(Bool(false), "\(error as Any)")
            }
            #expect(await client.waitingCount == 0)
        }
    }

    @Test("what waits is bounded, and a canceled task waits no longer")
    func boundedWaiting() async throws {
        try await withFakeDaemon { _, _ in
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: .forever)
            daemon.goAway()
            try await eventually("it is noticed") { await client.isWaiting }
            let long = RawJSON([.string(String(repeating: "x", count: 1_000_000))])
            let calls = (0..<4).map { _ in Task { try await client.call("a", long) } }
            try await eventually("they wait") { await client.waitingCount == 4 }
            let error = await #expect(throws: ClientError.self) { try await client.call("a", long) }
            guard case .congested? = error else { return #expect(Bool(false), "\(error as Any)") }
            for call in calls { call.cancel() }
            for call in calls {
                let error = await #expect(throws: ClientError.self) { try await call.value }
                guard case .cancelled? = error else { return #expect(Bool(false), "\(error as Any)") }
            }
            #expect(await client.waitingCount == 0)
        }
    }

    @Test("after so many attempts the client gives up: streams and calls fail")
    func givesUp() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, #"{"cursor":"e:0"}"#)
        } _: { daemon in
            var policy = ReconnectTests.soon
            policy.attempts = 3
            let client = try await Client.connect(path: daemon.path, reconnecting: policy)
            let stream = try await client.subscribe(SubscribeRequest(action: ["a"]))
            daemon.goAway()
            let ended = await #expect(throws: ClientError.self) { for try await _ in stream {} }
            let refused = await #expect(throws: ClientError.self) { try await client.call("later") }
            for error in [ended, refused] {
                guard case .unreachable(daemon.path, ENOENT)? = error else {
                    return #expect(Bool(false), "\(error as Any)")
                }
            }
        }
    }

    @Test("a daemon that accepts and sends nothing is no success: the time between attempts grows")
    func backoff() {
        let policy = Reconnecting.forever
        let delays = (0..<10).map { policy.delay(after: $0) / .milliseconds(1) }
        #expect(delays == [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
        #expect(policy.delay(after: .max) == .seconds(5))
    }

    @Test("a daemon that accepts and closes, again and again, is given up after so many attempts")
    func closesAlways() async throws {
        let attempts = Mutex(0)
        try await withFakeDaemon { request, peer in
            if request.params["from"] == nil {
                peer.answer(request, #"{"cursor":"e:0"}"#)
            } else {
                attempts.withLock { $0 += 1 }
            }
            peer.close()
        } _: { daemon in
            var policy = ReconnectTests.soon
            policy.attempts = 5
            let client = try await Client.connect(path: daemon.path, reconnecting: policy)
            let stream = try await client.subscribe(SubscribeRequest(action: ["a"]))
            await #expect(throws: ClientError.self) { for try await _ in stream {} }
            #expect((1...policy.attempts!).contains(attempts.withLock { $0 }))
        }
    }

    @Test("a subscription whose target is gone fails with the error of the daemon")
    func targetGone() async throws {
        try await withFakeDaemon { request, peer in
            guard request.params["from"] == nil else { return ReconnectTests.refuse(request, peer, .notFound) }
            peer.answer(request, #"{"cursor":"e:0"}"#)
            peer.close()
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            let stream = try await client.subscribe(SubscribeRequest(action: ["a"]))
            let error = await #expect(throws: ClientError.self) { for try await _ in stream {} }
            guard case .refused(let error)? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(error.errorCode == .notFound)
        }
    }

    @Test("a subscription refused by a daemon that stops is opened again by the next one")
    func refusedByAStop() async throws {
        let count = Mutex(0)
        try await withFakeDaemon { request, peer in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            switch number {
            case 1:
                peer.answer(request, #"{"cursor":"e:7"}"#)
                peer.close()
            case 2:
                ReconnectTests.refuse(request, peer, .shuttingDown)
                peer.close()
            default:
                #expect(request.params["from"]?["cursor"] == "e:7")
                peer.answer(request, #"{"cursor":"e:7"}"#)
                peer.end(request.stream, 8)
            }
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            let stream = try await client.subscribe(SubscribeRequest(action: ["a"]))
            var channels: [Channel?] = []
            for try await element in stream { channels.append(element.event?.channel) }
            #expect(channels == [.end])
        }
    }

    @Test("a stream let go while there is no connection is not opened again")
    func letGoWhileLost() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, #"{"cursor":"e:0"}"#)
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            var dropped: EventStream? = try await client.subscribe(SubscribeRequest(action: ["dropped"]))
            let left = try await client.subscribe(SubscribeRequest(action: ["left"]))
            let kept = try await client.subscribe(SubscribeRequest(action: ["kept"]))
            daemon.goAway()
            try await eventually("it is noticed") { await client.isWaiting }
            _ = dropped?.subscription
            dropped = nil
            try await left.unsubscribe()
            for try await _ in left { #expect(Bool(false)) }
            daemon.comeBack()
            _ = try await client.call("afterwards")
            #expect(daemon.requests.dropFirst(3).map { $0.params["action"]?.string } == ["kept", nil])
            #expect(await kept.reconnection?.isResumed == true)
        }
    }

    @Test("a daemon that was killed within a line is gone, and does not speak another protocol")
    func cutLine() async throws {
        try await withFakeDaemon { request, peer in
            if request.method == "first" {
                peer.close(within: #"{"jsonrpc":"2.0","id":\#(request.id),"resu"#)
            } else {
                peer.answer(request, "2")
            }
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            let error = await #expect(throws: ClientError.self) { try await client.call("first") }
            guard case .closed? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(try await client.call("second").text == "2")
        }
    }

    @Test("whoever speaks another protocol is not asked again")
    func otherProtocol() async throws {
        try await withFakeDaemon { _, peer in
            peer.send("HTTP/1.1 400 Bad Request")
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            for method in ["a", "b"] {
                let error = await #expect(throws: ClientError.self) {
                    try await client.call("action.execute", method == "a" ? nil : .emptyObject)
                }
                guard case .protocolViolation? = error else { return #expect(Bool(false), "\(error as Any)") }
            }
            #expect(daemon.requests.count == 1)
        }
    }

    // MARK: Executions

    @Test("an execution that is left running goes on by its id, from its last event or from its start")
    func executionResumes() async throws {
        let drops = Mutex(2)
        try await withFakeDaemon { request, peer in
            if request.method == "action.execute" {
                peer.answer(
                    request, #"{"execution":"01JA","disposition":"started","subscription":"\#(request.stream)"}"#)
                return peer.close()
            }
            let from = request.params["from"]
            #expect(request.params["execution"] == "01JA")
            #expect(request.params["action"] == nil)
            peer.answer(request, #"{"cursor":"e:0","snapshot":{"executions":{}}}"#)
            let drop = drops.withLock {
                $0 -= 1
                return $0
            }
            switch drop {
            case 1:
                #expect(from == "execution")
                peer.event(request.stream, 1, #""channel":"elements","value":1"#)
                peer.close()
            default:
                #expect(from?["cursor"] == "e:1")
                peer.event(request.stream, 2, #""channel":"elements","value":2"#)
                peer.end(request.stream, 3)
            }
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            var elements: [String] = []
            for try await element in client.elements(of: "a", onDisconnect: .detach) { elements.append(element.text) }
            #expect(elements == ["1", "2"])
        }
    }

    @Test("an execution that its connection withdraws fails with that connection")
    func executionWithdrawn() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, #"{"execution":"01JA","disposition":"started","subscription":"\#(request.stream)"}"#)
            peer.event(request.stream, 1, #""channel":"elements","value":1"#)
            peer.close()
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            var elements: [String] = []
            let error = await #expect(throws: ClientError.self) {
                for try await element in client.elements(of: "a", ["x": 1]) { elements.append(element.text) }
            }
            guard case .closed? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(elements == ["1"])
            #expect(daemon.requests.count == 1)
        }
    }

    @Test(
        "a stream whose cursor has expired begins with a gap and what is kept, if its request has a fallback",
        arguments: [("e:5", "e:5"), (nil, "start")])
    func expiredAtOnce(_ oldest: String?, _ next: String) async throws {
        try await withFakeDaemon { request, peer in
            let from = request.params["from"]
            if from?["cursor"] == "e:1" {
                let oldest = oldest.map { "\"\($0)\"" } ?? "null"
                return peer.send(
                    #"{"jsonrpc":"2.0","id":\#(request.id),"error":{"code":-32014,"message":"no","#
                        + #""data":{"name":"cursorExpired","oldest":\#(oldest)}}}"#)
            }
            #expect((from?["cursor"] ?? from)?.string == next)
            peer.open(request, at: 5)
            peer.event(request.stream, 6, #""channel":"elements","action":"a","value":6"#)
            peer.end(request.stream, 7)
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            var request = SubscribeRequest(.action(["a"]), from: .cursor("e:1"))
            let error = await #expect(throws: ClientError.self) { _ = try await client.subscribe(request) }
            guard case .refused(let refusal)? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(refusal.errorCode == .cursorExpired)
            request.fallback = .start
            var elements: [String] = []
            for try await element in try await client.subscribe(request) {
                switch element {
                case .gap(let gap): elements.append("gap \(gap.after ?? "") \(gap.cursor ?? "") \(gap.isResumed)")
                case .event(let event): elements.append(event.channel.rawValue)
                }
            }
            #expect(elements == ["gap e:1 e:5 false", "elements", "end"])
        }
    }

    @Test("an execution of a daemon that was started anew has lost elements, and reports that")
    func executionGap() async throws {
        try await withFakeDaemon { request, peer in
            switch (request.method, request.params["from"]) {
            case ("action.execute", _):
                peer.answer(request, #"{"execution":"01JA","disposition":"started"}"#)
                peer.event(request.stream, 1, #""channel":"elements","value":1"#)
                peer.close()
            case (_, let from?) where from["cursor"] != nil: ReconnectTests.refuse(request, peer, .cursorExpired)
            case (_, let from):
                #expect(from == "start")
                peer.answer(request, #"{"cursor":"f:0","snapshot":{"executions":{}}}"#)
                peer.end(request.stream, 1)
            }
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path, reconnecting: ReconnectTests.soon)
            let error = await #expect(throws: ClientError.self) {
                for try await _ in client.elements(of: "a", onDisconnect: .detach) {}
            }
            guard case .refused(let error)? = error else { return #expect(Bool(false), "\(error as Any)") }
            #expect(error.errorCode == .cursorExpired)
            #expect(error.data?.text == #"{"name":"cursorExpired","cursor":"e:1"}"#)
        }
    }
}

extension Client {
    /// Whether the loss of the connection is known and the next one not there yet.
    fileprivate var isWaiting: Bool {
        get async { await look { $0.isWaiting } }
    }

    fileprivate var waitingCount: Int {
        get async { await look { $0.waitingCount } }
    }

    private func look<Value: Sendable>(_ body: @escaping @Sendable (Link) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            perform { continuation.resume(returning: body($0)) }
        }
    }
}
