internal import Rx
internal import RxPlatform

/// Calls back when an execution has taken too long.
struct ExecutionTimer: Sendable {
    private let timer = Locked<QueueTimer?>(nil)

    /// Calls `body` after `limit`, unless it is stopped before.
    func start(_ limit: Duration, on queue: WorkQueue, _ body: @escaping @Sendable () -> Void) {
        // A short limit may be over before the timer is stored; canceling it later does nothing.
        let started = queue.async(after: limit, body)
        timer.withLock { $0 = started }
    }

    func stop() {
        let timer = timer.withLock { timer in
            defer { timer = nil }
            return timer
        }
        timer?.cancel()
    }
}
