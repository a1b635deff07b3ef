internal import Rx

/// Calls a function with the events of one execution, the past first.
///
/// Events that come meanwhile wait, so that all of them are in order.
final class EventObserver: Sendable {
    private enum State {
        case live
        case catchingUp(waiting: [ExecutionEvent])
    }

    let body: ExecutionEvent.Observer
    private let state: Locked<State>

    init(isLive: Bool, _ body: @escaping ExecutionEvent.Observer) {
        self.body = body
        state = Locked(isLive ? .live : .catchingUp(waiting: []))
    }

    func take(_ event: ExecutionEvent) {
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

    /// Passes on the past, then the events that came meanwhile.
    func catchUp(_ past: [ExecutionEvent]) {
        var next = past
        while !next.isEmpty || !becomeLive(&next) {
            for event in next { body(event) }
            next = []
        }
    }

    /// Becomes live if no events wait; otherwise takes them out as `next`.
    ///
    /// - Returns: whether the observer is live.
    private func becomeLive(_ next: inout [ExecutionEvent]) -> Bool {
        let waiting = state.withLock { state -> [ExecutionEvent] in
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
