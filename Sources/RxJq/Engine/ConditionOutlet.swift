internal import Rx
internal import RxHost
internal import RxJSON

/// Receives the results of a condition and reports them, one at a time, from `open` to `close`.
final class ConditionOutlet<Signal: EngineSignal>: ReactorOutlet {
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

    private let condition: ReactorCondition
    private let report: @Sendable (UnmetCondition?) -> Void
    private let answered: Signal
    private let source: Locked<SourceLine?>
    private let state: Locked<State>

    /// - Parameters:
    ///   - condition: the condition, which does not hold until there is a result.
    ///   - answered: sent at each result.
    ///   - report: called with results, one call at a time; of results in quick succession only with the last one.
    init(
        _ condition: ReactorCondition, answered: Signal, _ report: @escaping @Sendable (UnmetCondition?) -> Void
    ) {
        self.condition = condition
        source = Locked(condition.source)
        self.answered = answered
        self.report = report
        state = Locked(State(newest: .some(UnmetCondition(reactor: condition.reactor, when: condition.when))))
    }

    /// The program is written in another line from now on.
    func move(to line: SourceLine?) { source.withLock { $0 = line } }

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

    func reduced(_ step: ReactorStep) {
        take(step.state.tree.bool == true ? nil : UnmetCondition(reactor: condition.reactor, when: condition.when))
    }

    func failed(_ fault: ReactorFault) {
        var fault = fault
        fault.place = ProgramPlace(nil, "enabled.when", source: source.withLock { $0 })
        take(
            UnmetCondition(
                reactor: condition.reactor, when: condition.when, error: fault.text, publicError: fault.publicText))
    }

    func waitForAnswer(until deadline: Duration) { answered.wait(until: deadline) }

    private func take(_ result: UnmetCondition?) {
        state.withLock { $0.newest = .some(result) }
        reportNewest()
        answered.send()
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
