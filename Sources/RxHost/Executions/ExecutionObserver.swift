internal import Rx
public import RxJSON
public import RxRecords

extension HostedExecution {
    /// An event for an observer of this very execution, in order, ending with `ended`.
    public enum Event: Sendable {
        /// The number of elements before the next that are no longer there: the first event, if at all.
        case lost(Int)
        case element(RawJSON)
        /// Nil if the execution completed.
        case ended(ExecutionError?)
    }

    /// A function that is called with the events of one execution.
    public typealias Observer = @Sendable (Event) -> Void
}

/// An observer of one execution, which receives the past first.
///
/// Events that come meanwhile wait, so that all of them are in order.
final class ExecutionObserver: Sendable {
    private enum State {
        case live
        case catchingUp(waiting: [HostedExecution.Event])
    }

    let body: HostedExecution.Observer
    private let state: Locked<State>

    init(isLive: Bool, _ body: @escaping HostedExecution.Observer) {
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

    /// Passes on the past, then the events that came meanwhile.
    func catchUp(_ past: [HostedExecution.Event]) {
        var next = past
        while !next.isEmpty || !becomeLive(&next) {
            for event in next { body(event) }
            next = []
        }
    }

    /// Becomes live if no events wait; otherwise takes them out as `next`.
    ///
    /// - Returns: whether the observer is live.
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
