internal import Rx
internal import RxHost

/// Reports the results of a condition, one at a time, from `open` to `close`.
final class ConditionOutlet: Sendable {
    private enum Phase {
        case holding, open, closed
    }

    private struct State {
        var phase = Phase.holding
        /// The newest result that is not reported: why the condition does not hold, or nil if it does.
        var newest: UnmetCondition??
        /// Whether a thread reports results.
        var isReporting = false
        var whenClosed: (@Sendable () -> Void)?
    }

    private let report: @Sendable (UnmetCondition?) -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - first: the result until there is one: a condition does not hold until it is known that it does.
    ///   - report: called with results, one call at a time; of results in quick succession only with the last one.
    init(_ first: UnmetCondition, _ report: @escaping @Sendable (UnmetCondition?) -> Void) {
        self.report = report
        state = Locked(State(newest: .some(first)))
    }

    /// Reports the newest result, and then each one.
    func open() {
        state.withLock { state in
            if state.phase == .holding { state.phase = .open }
        }
        reportNewest()
    }

    /// Reports no more.
    ///
    /// - Parameter whenClosed: called once, on any thread, after the last report.
    func close(_ whenClosed: @escaping @Sendable () -> Void) {
        let isReporting = state.withLock { state in
            state.phase = .closed
            if state.isReporting { state.whenClosed = whenClosed }
            return state.isReporting
        }
        if !isReporting { whenClosed() }
    }

    func take(_ result: UnmetCondition?) {
        state.withLock { $0.newest = .some(result) }
        reportNewest()
    }

    private enum Step {
        case report(UnmetCondition?)
        case end(whenClosed: (@Sendable () -> Void)?)
    }

    private func reportNewest() {
        let isMine = state.withLock { state in
            guard state.phase == .open, !state.isReporting else { return false }
            state.isReporting = true
            return true
        }
        guard isMine else { return }
        while true {
            let step = state.withLock { state -> Step in
                if state.phase == .open, let newest = state.newest {
                    state.newest = nil
                    return .report(newest)
                }
                state.isReporting = false
                defer { state.whenClosed = nil }
                return .end(whenClosed: state.whenClosed)
            }
            switch step {
            case .report(let result): report(result)
            case .end(let whenClosed): return whenClosed?() ?? ()
            }
        }
    }
}
