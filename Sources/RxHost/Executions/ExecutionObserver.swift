internal import Rx

/// Somebody who hears of one execution, in order, whatever has happened before it came.
///
/// Events that come while it is still told of the past wait for that.
final class ExecutionObserver: Sendable {
    private enum State {
        case live
        case catchingUp(waiting: [HostedExecution.Event])
    }

    private let body: @Sendable (HostedExecution.Event) -> Void
    private let state: Locked<State>

    init(isLive: Bool, _ body: @escaping @Sendable (HostedExecution.Event) -> Void) {
        self.body = body
        state = Locked(isLive ? .live : .catchingUp(waiting: []))
    }

    func take(_ event: HostedExecution.Event) {
        let isLive = state.withLock { state in
            switch state {
            case .live:
                return true
            case .catchingUp(var waiting):
                // Not two references to the array while it grows.
                state = .live
                waiting.append(event)
                state = .catchingUp(waiting: waiting)
                return false
            }
        }
        if isLive { body(event) }
    }

    /// Tells the past, then what has come meanwhile.
    func catchUp(_ past: [HostedExecution.Event]) {
        var next = past
        while !next.isEmpty || !becomeLive(&next) {
            for event in next { body(event) }
            next = []
        }
    }

    /// Whether nothing waits any more; what waits is taken out otherwise.
    private func becomeLive(_ next: inout [HostedExecution.Event]) -> Bool {
        let waiting = state.withLock { state -> [HostedExecution.Event] in
            switch state {
            case .live:
                return []
            case .catchingUp(let waiting) where waiting.isEmpty:
                state = .live
                return []
            case .catchingUp(let waiting):
                state = .catchingUp(waiting: [])
                return waiting
            }
        }
        next = waiting
        return waiting.isEmpty
    }
}
