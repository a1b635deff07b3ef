internal import Rx
package import RxPlatform

/// A platform whose queues run their work, one piece after the other, only when a test lets them, and whose time passes
/// only when a test advances it.
package final class SteppedTime: Sendable {
    private struct Timer {
        let id: Int
        let due: Duration
        let body: @Sendable () -> Void
    }

    private struct State {
        var now = Duration.zero
        var ready: [@Sendable () -> Void] = []
        var timers: [Timer] = []
        var lastTimer = 0
    }

    private let state = Locked(State())

    package init() {}

    /// A platform of this time, which starts at 2026-01-01T00:00:00Z.
    package var platform: Platform {
        let queue = Queue(self)
        return Platform(
            wallClock: WallClock { 1_767_225_600_000 + Int64(self.now / .milliseconds(1)) },
            monotonicClock: MonotonicClock { self.now },
            queues: Queues(shared: queue) { _ in Queue(self) })
    }

    package var now: Duration { state.withLock { $0.now } }
    /// The delays until the timers that are set, the next one first.
    package var delays: [Duration] { state.withLock { state in state.timers.map { $0.due - state.now }.sorted() } }

    /// Runs what is ready, and what becomes ready by that.
    package func settle() {
        while let body = state.withLock({ $0.ready.isEmpty ? nil : $0.ready.removeFirst() }) { body() }
    }

    /// Lets time pass, and runs what it makes ready.
    package func advance(by duration: Duration) {
        settle()
        let end = now + duration
        while let timer = takeTimer(dueBy: end) {
            timer.body()
            settle()
        }
        state.withLock { $0.now = end }
    }

    private func takeTimer(dueBy end: Duration) -> Timer? {
        state.withLock { state in
            guard let next = state.timers.min(by: { ($0.due, $0.id) < ($1.due, $1.id) }), next.due <= end else {
                return nil
            }
            state.timers.removeAll { $0.id == next.id }
            state.now = max(state.now, next.due)
            return next
        }
    }

    // Unchecked: immutable.
    private final class Queue: WorkQueue, @unchecked Sendable {
        private let time: SteppedTime

        init(_ time: SteppedTime) {
            self.time = time
            super.init()
        }

        override func async(_ body: @escaping @Sendable () -> Void) {
            time.state.withLock { $0.ready.append(body) }
        }

        override func run(_ body: () -> Void) {
            time.settle()
            body()
        }

        override func timer(
            after delay: Duration, every period: Duration?, leeway: Duration, _ body: @escaping @Sendable () -> Void
        ) -> QueueTimer {
            precondition(period == nil)
            let id = time.state.withLock { state in
                state.lastTimer += 1
                state.timers.append(Timer(id: state.lastTimer, due: state.now + delay, body: body))
                return state.lastTimer
            }
            return QueueTimer { [time] in time.state.withLock { $0.timers.removeAll { $0.id == id } } }
        }
    }
}
