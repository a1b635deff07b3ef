internal import Rx
internal import Dispatch

/// Calls back when an execution has taken too long.
struct ExecutionTimer: Sendable {
    private let source = Locked<(any DispatchSourceTimer)?>(nil)

    /// Calls `body` after `limit`, unless it is stopped before.
    func start(_ limit: Duration, _ body: @escaping @Sendable () -> Void) {
        // A source, since a canceled work item stays with Dispatch until its time has come.
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler(handler: body)
        timer.schedule(deadline: .now() + limit.dispatchInterval)
        source.withLock { $0 = timer }
        timer.activate()
    }

    func stop() {
        let timer = source.withLock { source in
            defer { source = nil }
            return source
        }
        timer?.cancel()
    }
}

extension Duration {
    /// For Dispatch, rounded up to a nanosecond and bounded to what it can count (292 years).
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int.max) / 1_000_000_000 else { return .never }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int((attoseconds + 999_999_999) / 1_000_000_000))
    }
}
