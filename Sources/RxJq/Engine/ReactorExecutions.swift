internal import Rx
internal import RxHost
internal import RxJSON
internal import RxRecords

// Unchecked: used only by the engine's turns.
/// The executions that a reactor's rules have started. Their elements and ends come back through the mailbox.
final class ReactorExecutions: @unchecked Sendable {
    private let plan: JqReactorPlan
    private let mailbox: EngineMailbox
    private let host: any JqReactorHost
    /// Kept for cancellation, by the order of their start.
    private var executions: [Int: (progress: DispatchProgress, execution: any Disposable)] = [:]
    private var count = 0
    /// Ended executions are removed when there are more than this.
    private var mostKept = leastKept

    private static let leastKept = 64

    init(_ plan: JqReactorPlan, mailbox: EngineMailbox, host: any JqReactorHost) {
        self.plan = plan
        self.mailbox = mailbox
        self.host = host
    }

    /// Executes the action of a rule, as a part of a dispatch. Does nothing if the rule has none.
    func start(_ rule: Int, _ input: RawJSON, for progress: DispatchProgress) {
        guard let name = plan.actions.indices.contains(rule) ? plan.actions[rule] : nil else { return }
        let hasFailure = plan.programs.rules[rule].failure != nil
        let hasElement = plan.programs.rules[rule].element != nil
        progress.begin()
        removeEnded()
        let execution = host.execute(
            name, input: input, causes: Causes(.rule(reactor: plan.reactor, rule: rule), after: progress.earlier),
            onElement: { [mailbox] element in
                if hasElement { mailbox.post(.element(rule: rule, element, progress)) }
            },
            onEnd: { [mailbox] error in
                switch (error, hasFailure) {
                case (let error?, true): mailbox.post(.failure(rule: rule, error, progress))
                case (let error?, false):
                    let fault = ReactorFault(
                        .mutate, "the execution of \(name) failed", input: error,
                        at: ProgramPlace(.rule(rule), "execute"))
                    mailbox.post(.executionEnded(fault, progress))
                case (nil, _): mailbox.post(.executionEnded(nil, progress))
                }
            })
        count += 1
        executions[count] = (progress, execution)
    }

    /// Cancels the executions of dispatches that have not ended.
    func cancel() {
        for (progress, execution) in executions.values where !progress.isFinished { execution.dispose() }
    }

    /// Ends the dispatches whose executions have not ended.
    func abandon(_ fault: ReactorFault) {
        for (progress, _) in executions.values { progress.abandon(fault) }
    }

    /// Removes ended executions only after as many new ones have been added, so that it costs little per execution.
    private func removeEnded() {
        guard executions.count > mostKept else { return }
        executions = executions.filter { !$0.value.progress.isFinished }
        mostKept = 2 * max(Self.leastKept, executions.count)
    }
}
