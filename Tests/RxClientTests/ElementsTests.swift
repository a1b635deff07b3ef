import Dispatch
import JSONRPC
import Rx
import RxJSON
import RxProtocol
import Synchronization
import TestSupport
import Testing

@testable import RxClient

/// Elements of executions as `AsyncSequence` and as `Observable`, which must yield the same.
@Suite(.ownThreads(limit: .seconds(60)))
struct ElementsTests {
    /// Answers an execution as its action's name states.
    private static func perform(_ request: FakeDaemon.Request, _ peer: FakeDaemon.Peer) {
        guard request.method == "action.execute" else { return peer.answer(request, "{}") }
        guard request.params["action"] != "refused" else {
            return peer.send(
                #"{"jsonrpc":"2.0","id":\#(request.id),"error":{"code":-32002,"message":"no","#
                    + #""data":{"name":"notEnabled"}}}"#
            )
        }
        let name = request.stream
        peer.answer(request, #"{"execution":"01JA","disposition":"started","subscription":"\#(name)"}"#)
        peer.event(name, 1, #""channel":"elements","value":{"step":1}"#)
        switch request.params["action"]?.string {
        case "fails":
            peer.event(
                name, 2,
                #""channel":"errors","error":{"code":-32001,"message":"exit 3","data":{"name":"workFailed","exit":3}}"#)
            peer.event(name, 3, #""channel":"end","value":{"reason":"failed"}"#)
        case "timesOut": peer.event(name, 2, #""channel":"end","value":{"reason":"timedOut"}"#)
        case "melts": peer.event(name, 2, #""channel":"end","value":{"reason":"melted"}"#)
        case "lags": peer.event(name, 2, #""channel":"lag","value":{"dropped":7,"first":"e:2","last":"e:8"}"#)
        case "goesOn": break
        default:
            peer.event(name, 2, #""channel":"elements","value":2"#)
            peer.end(name, 3)
        }
    }

    /// What both faces give for `action`: the elements, and the error's name.
    private func run(_ action: String, _ face: Face, _ client: Client) async -> [String] {
        var seen: [String] = []
        do {
            switch face {
            case .async: for try await element in client.elements(of: action, ["x": 1]) { seen.append(element.text) }
            case .rx: for try await element in client.execute(action, ["x": 1]).values { seen.append(element.text) }
            }
            seen.append("completed")
        } catch ClientError.refused(let error) {
            seen.append(error.errorCode?.name ?? "?")
        } catch {
            seen.append("\(error)")
        }
        return seen
    }

    enum Face: CaseIterable { case async, rx }

    @Test("the elements, then the end as it was", arguments: Face.allCases)
    func ends(_ face: Face) async throws {
        try await withFakeDaemon(ElementsTests.perform) { daemon in
            let client = try await Client.connect(path: daemon.path)
            let first = #"{"step":1}"#
            #expect(await run("completes", face, client) == [first, "2", "completed"])
            #expect(await run("fails", face, client) == [first, "workFailed"])
            #expect(await run("timesOut", face, client) == [first, "timedOut"])
            #expect(await run("melts", face, client) == [first, "workFailed"])
            #expect(await run("lags", face, client) == [first, "limitReached"])
            #expect(await run("refused", face, client) == ["notEnabled"])
            let request = try #require(daemon.requests.first)
            #expect(request.params["input"] == ["x": 1])
            #expect(request.params["onDisconnect"] == "cancel")
        }
    }

    @Test("nothing is asked before someone subscribes, and each subscription executes once")
    func cold() async throws {
        try await withFakeDaemon(ElementsTests.perform) { daemon in
            let client = try await Client.connect(path: daemon.path)
            let elements = client.execute("completes")
            _ = try await client.call("marker")
            #expect(daemon.requests.map(\.method) == ["marker"])
            for _ in 0..<2 { for try await _ in elements.values {} }
            #expect(daemon.requests.dropFirst().map(\.method) == ["action.execute", "action.execute"])
        }
    }

    @Test("disposing withdraws, and nothing comes after it")
    func disposing() async throws {
        try await withFakeDaemon(ElementsTests.perform) { daemon in
            let client = try await Client.connect(path: daemon.path)
            let seen = Mutex<[String]>([])
            let disposable = client.execute("goesOn").subscribe { event in
                seen.withLock { $0.append("\(event)") }
            }
            try await eventually("the element is there") { seen.withLock { !$0.isEmpty } }
            disposable.dispose()
            try await eventually("it is withdrawn") { daemon.requests.contains { $0.method == "unsubscribe" } }
            #expect(seen.withLock { $0.count } == 1)
        }
    }

    /// The element is being delivered, or the next one is being waited for: neither may miss the disposal.
    @Test("disposing withdraws, whatever the stream is about to do")
    func disposingEarly() async throws {
        try await withFakeDaemon(ElementsTests.perform) { daemon in
            let client = try await Client.connect(path: daemon.path)
            for round in 1...200 {
                let delivered = DispatchSemaphore(value: 0)
                let disposable = client.execute("goesOn").subscribe(onNext: { _ in delivered.signal() })
                wait(delivered)
                disposable.dispose()
                try await eventually("stream \(round) is withdrawn") {
                    daemon.requests.count { $0.method == "unsubscribe" } == round
                }
            }
            client.close()
        }
    }

    @Test("disposing an execution that is to go on sends nothing to the daemon")
    func detached() async throws {
        try await withFakeDaemon(ElementsTests.perform) { daemon in
            let client = try await Client.connect(path: daemon.path)
            for try await _ in client.execute("goesOn", onDisconnect: .detach).take(1).values {}
            // Whatever the disposal sends is sent by the time the client has let go of the stream.
            try await eventually("the stream is let go") { await client.streamCount == 0 }
            _ = try await client.call("marker")
            #expect(daemon.requests.map(\.method) == ["action.execute", "marker"])
        }
    }

    @Test("leaving the loop withdraws")
    func leaving() async throws {
        try await withFakeDaemon(ElementsTests.perform) { daemon in
            let client = try await Client.connect(path: daemon.path)
            for try await _ in client.elements(of: "goesOn") { break }
            try await eventually("it is withdrawn") { daemon.requests.contains { $0.method == "unsubscribe" } }
        }
    }

    @Test("events as an observable: cold, with the end, and unsubscribed by disposal")
    func events() async throws {
        try await withFakeDaemon { request, peer in
            peer.answer(request, "{}")
            guard request.method == "subscribe" else { return }
            peer.event(request.stream, 1, #""channel":"elements","action":"a","value":1"#)
            if request.params["action"] == "a" { peer.end(request.stream, 2) }
        } _: { daemon in
            let client = try await Client.connect(path: daemon.path)
            var channels: [Channel?] = []
            for try await element in client.subscribe(to: "a", channels: [.elements]).values {
                channels.append(element.event?.channel)
            }
            #expect(channels == [.elements, .end])
            for try await _ in client.subscribe(to: "b", "c").take(1).values {}
            try await eventually("it is unsubscribed") { daemon.requests.count == 3 }
            #expect(daemon.requests.map(\.method) == ["subscribe", "subscribe", "unsubscribe"])
            #expect(daemon.requests[0].params["channels"] == ["elements"])
            #expect(daemon.requests[1].params["action"] == ["b", "c"])
        }
    }
}

extension Client {
    fileprivate var streamCount: Int {
        get async {
            await withCheckedContinuation { continuation in
                perform { continuation.resume(returning: $0.streamCount) }
            }
        }
    }
}

/// Blocks the thread, which the compiler does not let an async function do itself.
private func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }
