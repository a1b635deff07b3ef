internal import RxRecords
internal import Rx
internal import RxAction
internal import RxJSON

/// The work of one execution: attempted as often as its definition allows, on the scheduler of the definition, and not
/// before the store has what it must have by then.
struct ExecutionWork {
    private let execution: HostedExecution
    private let definition: ActionDefinition
    private let input: RawJSON
    private let mask: SecretMask?
    private let context: WorkContext

    init(_ execution: HostedExecution, _ context: WorkContext) {
        self.execution = execution
        self.context = context
        definition = execution.definition.value
        // Under the lock: a cancellation on another thread may end the execution at this moment.
        (input, mask) = execution.action.log.read { _ in (execution.input, execution.mask) }
    }

    /// The elements of the work. Nothing runs before it is subscribed to.
    func observable() -> Observable<RawJSON> {
        let work = attempts()
        let stored = execution.durability?.afterStart(work, on: execution.action.scheduler) ?? work
        switch definition.scheduler {
        case .inline: return stored
        case .serial: return stored.subscribe(on: execution.action.scheduler)
        }
    }

    private func attempts() -> Observable<RawJSON> {
        guard let policy = definition.retry else { return attempt(1) }
        return RetriedWork(
            policy: policy, context: context, scheduler: execution.action.scheduler,
            attempt: { number in
                if number > 1 { execution.attempting(number, of: policy.attempts) }
                return attempt(number)
            },
            note: { [execution, mask] number, error, delay in
                let action = execution.action
                let failure = execution.attemptFailed(
                    number, of: policy.attempts, error, delay: delay, without: mask)
                action.services.onRetry?(
                    RetryNote(
                        record: action.log.record(of: execution), attempt: number, attempts: policy.attempts,
                        error: failure.message, delay: delay))
            }
        ).observable()
    }

    private func attempt(_ number: Int) -> Observable<RawJSON> {
        var invocation = Invocation(
            action: execution.action.name, input: input, context: context, flow: execution.flow, attempt: number,
            causes: execution.causes, keepError: { [execution] in execution.keep(error: $0) },
            platform: execution.action.services.platform)
        invocation.mask = mask
        switch definition.scheduler {
        // Even what makes the work must not run before the start is stored.
        case .inline where execution.durability == nil: return definition.work(invocation)
        case .inline, .serial: return Observable.deferred { [definition, invocation] in definition.work(invocation) }
        }
    }
}
