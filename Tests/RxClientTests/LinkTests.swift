import Glibc
import RxJSON
import RxLoop
import RxProtocol
import TestSupport
import Testing

@testable import RxClient

/// A link as rxctl uses it: on a loop of its own, with closures.
@Suite(.ownThreads(limit: .seconds(60)))
struct LinkTests {
    /// What the link reported, in order.
    private enum Report: Equatable {
        case loss
        case closed
        case opened
        case event(String)
        case reconnected(resumed: Bool)
        case failed
    }

    /// A link and its reports; touched on its loop's thread only.
    private final class Bench: @unchecked Sendable {
        let loop: EventLoop
        var link: Link!
        let reports: AsyncStream<Report>
        private let sink: AsyncStream<Report>.Continuation

        init(_ path: String, policy: Reconnecting?) async throws {
            loop = try EventLoop()
            (reports, sink) = AsyncStream.makeStream(of: Report.self)
            loop.start(name: "link")
            try await onLoop { bench in
                let link = try Link(path: { path }, loop: bench.loop, policy: policy)
                link.onLoss = { [sink = bench.sink] _ in sink.yield(.loss) }
                link.onClose = { [sink = bench.sink] _ in sink.yield(.closed) }
                bench.link = link
            }
        }

        func onLoop(_ body: @escaping @Sendable (Bench) throws -> Void) async throws {
            let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
                loop.execute { [self] in continuation.resume(returning: Result { try body(self) }) }
            }
            try result.get()
        }

        @discardableResult
        func open(
            _ origin: FollowedStream.Origin, _ options: FollowedStream.Options = FollowedStream.Options()
        ) -> FollowedStream {
            link.open(
                origin, options: options,
                deliver: { [sink] delivery in
                    switch delivery {
                    case .event(let event): sink.yield(.event(event.channel.rawValue))
                    case .reconnected(let reconnection, _): sink.yield(.reconnected(resumed: reconnection.isResumed))
                    case .failed, .finished: sink.yield(.failed)
                    }
                },
                completion: { [sink] reply in
                    if case .success = reply { sink.yield(.opened) } else { sink.yield(.failed) }
                })
        }

        func stop() {
            loop.execute { [self] in link?.close() }
            loop.stop()
            loop.join()
        }
    }

    private func withBench(
        _ daemon: FakeDaemon, policy: Reconnecting? = nil, _ body: (Bench) async throws -> Void
    ) async throws {
        let bench = try await Bench(daemon.path, policy: policy)
        defer { bench.stop() }
        try await body(bench)
    }

    @Test("a stream can be ended before its opening was answered")
    func earlyUnsubscribe() async throws {
        try await withFakeDaemon({ request, peer in
            guard request.method == "unsubscribe" else { return }
            peer.send(
                #"{"jsonrpc":"2.0","id":1,"result":{"execution":"E","disposition":"started","subscription":"s1"}}"#)
            peer.answer(request, "{}")
            peer.event("s1", 1, #""channel":"end","value":{"reason":"unsubscribed"}"#)
        }) { daemon in
            try await withBench(daemon) { bench in
                try await bench.onLoop { bench in
                    let stream = bench.open(.execution(ExecuteRequest(action: "a")))
                    bench.link.unsubscribe(stream)
                }
                var reports = bench.reports.makeAsyncIterator()
                #expect(await reports.next() == .opened)
                #expect(await reports.next() == .event("end"))
                #expect(daemon.requests.map(\.method) == ["action.execute", "unsubscribe"])
            }
        }
    }

    @Test("a loss is reported once per search, however many attempts it takes")
    func losses() async throws {
        try await withFakeDaemon({ request, peer in peer.open(request, at: 7) }) { daemon in
            try await withBench(daemon, policy: ReconnectTests.soon) { bench in
                var reports = bench.reports.makeAsyncIterator()
                try await bench.onLoop { $0.open(.subscription(SubscribeRequest(action: ["a"]))) }
                #expect(await reports.next() == .opened)
                for _ in 1...2 {
                    daemon.goAway()
                    #expect(await reports.next() == .loss)
                    daemon.comeBack()
                    #expect(await reports.next() == .reconnected(resumed: true))
                }
            }
        }
    }

    @Test("a lost first connection ends an opening that must not be repeated, and a link without a policy")
    func firstConnection() async throws {
        try await withFakeDaemon({ _, peer in peer.close() }) { daemon in
            var options = FollowedStream.Options()
            options.repeatsOpening = false
            try await withBench(daemon, policy: ReconnectTests.soon) { [options] bench in
                var reports = bench.reports.makeAsyncIterator()
                try await bench.onLoop { $0.open(.subscription(SubscribeRequest(action: ["a"])), options) }
                #expect(await reports.next() == .failed)
                #expect(await reports.next() == .loss)
                #expect(daemon.requests.count == 1)
            }
            try await withBench(daemon) { [options] bench in
                var reports = bench.reports.makeAsyncIterator()
                try await bench.onLoop { $0.open(.subscription(SubscribeRequest(action: ["a"])), options) }
                #expect(await reports.next() == .failed)
                #expect(await reports.next() == .closed)
            }
        }
    }

    @Test("a limit that is reached meanwhile ends a stream, unless it waits for room")
    func room() async throws {
        for waits in [false, true] {
            let answered = Counter()
            try await withFakeDaemon({ request, peer in
                switch answered.next() {
                case 1:
                    peer.open(request, at: 1)
                    peer.close()
                case 2: peer.refuse(request, -32008, "limitReached")
                case _: peer.open(request, at: 1)
                }
            }) { daemon in
                var options = FollowedStream.Options()
                options.waitsForRoom = waits
                try await withBench(daemon, policy: ReconnectTests.soon) { [options] bench in
                    var reports = bench.reports.makeAsyncIterator()
                    try await bench.onLoop { $0.open(.subscription(SubscribeRequest(action: ["a"])), options) }
                    #expect(await reports.next() == .opened)
                    #expect(await reports.next() == .loss)
                    #expect(await reports.next() == (waits ? .reconnected(resumed: true) : .failed))
                }
            }
        }
    }
}

/// Counts 1, 2, 3, …; on the fake daemon's thread only.
// @unchecked Sendable: only the script of one daemon uses it.
private final class Counter: @unchecked Sendable {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
