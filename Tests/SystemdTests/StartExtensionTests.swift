import RxPlatform
import Synchronization
import TestSupport
import Testing

@testable import Systemd

@Suite("The extension of a start", .ownThreads)
struct StartExtensionTests {
    /// Clocks that a test sets.
    private final class Times: Sendable {
        private let elapsed = Mutex(Duration.zero)
        private let used = Mutex(Duration.zero)

        func platform() -> Platform {
            Platform(
                monotonicClock: MonotonicClock { self.elapsed.withLock { $0 } },
                processorTime: MonotonicClock { self.used.withLock { $0 } })
        }

        func pass(_ time: Duration, using processor: Duration) {
            elapsed.withLock { $0 += time }
            used.withLock { $0 += processor }
        }
    }

    private let manager = DatagramReceiver()
    private let times = Times()
    private let message = "EXTEND_TIMEOUT_USEC=30000000"

    private func start() -> StartExtension {
        let notifier = Notifier(socketPath: manager.path)
        return StartExtension(on: times.platform()) { notifier.extendTimeout(by: $0) }
    }

    @Test("is requested in each round with progress, and in none without")
    func progress() {
        let start = start()
        for _ in 0..<3 {
            times.pass(.seconds(5), using: .milliseconds(1))
            start.round()
            #expect(manager.nextText() == message)
        }
        // What a round itself takes is no progress.
        times.pass(.seconds(5), using: .microseconds(999))
        start.round()
        times.pass(.seconds(5), using: .zero)
        start.round()
        #expect(manager.next() == nil)
        times.pass(.seconds(5), using: .seconds(5))
        start.round()
        #expect(manager.nextText() == message)
    }

    @Test("is bounded: a start that never ends is not extended forever")
    func bounded() {
        let start = start()
        times.pass(StartExtension.longest - .milliseconds(1), using: .seconds(1))
        start.round()
        #expect(manager.nextText() == message)
        times.pass(.milliseconds(1), using: .seconds(1))
        start.round()
        #expect(manager.next() == nil)
    }

    @Test("is requested by a thread of its own while the start keeps its thread busy, and ends when that is ready")
    func thread() {
        let notifier = Notifier(socketPath: manager.path)
        let queue = HastyQueue(Queues.system.serial("rounds"))
        notifier.extendStart(on: Platform(queues: Queues(shared: Queues.system.shared) { _ in queue }))
        var text: String?
        // Works, as the check of a database does, until the message comes.
        while text == nil, queue.rounds < 1000 { text = manager.nextText() }
        #expect(text == message)
        notifier.ready()
        // Rounds that were under way.
        while let next = manager.nextText(), next != "READY=1" { #expect(next == message) }
        let rounds = queue.rounds
        queue.run {}
        #expect(queue.rounds <= rounds + 1)
        #expect(manager.next() == nil)
    }

    @Test("without a manager has no rounds")
    func alone() {
        let queue = HastyQueue(Queues.system.serial("rounds"))
        let notifier = Notifier(socketPath: nil)
        notifier.extendStart(on: Platform(queues: Queues(shared: Queues.system.shared) { _ in queue }))
        #expect(!queue.hasTimer)
        notifier.ready()
    }
}

/// A queue whose timers run every few milliseconds.
private final class HastyQueue: WorkQueue, @unchecked Sendable {
    private let base: WorkQueue
    private let count = Mutex((rounds: 0, hasTimer: false))

    init(_ base: WorkQueue) { self.base = base }

    var rounds: Int { count.withLock { $0.rounds } }
    var hasTimer: Bool { count.withLock { $0.hasTimer } }

    override func async(_ body: @escaping @Sendable () -> Void) { base.async(body) }
    override func run(_ body: () -> Void) { base.run(body) }
    override func timer(
        after delay: Duration, every period: Duration?, leeway: Duration, _ body: @escaping @Sendable () -> Void
    ) -> QueueTimer {
        count.withLock { $0.hasTimer = true }
        return base.timer(after: .milliseconds(10), every: .milliseconds(10), leeway: .zero) { [self] in
            count.withLock { $0.rounds += 1 }
            body()
        }
    }
}
