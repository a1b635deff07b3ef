internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxRecords

/// What all executions of a daemon share.
struct ProcessContext<System: ProcessSystem>: Sendable {
    let system: System
    let ledger: ProcessLedger?
    let inputFiles: InputFiles?
    let environment: ProcessEnvironment
    let log: ProcessLog
    /// Used only on the loop's thread.
    let buffer = ReadBuffer()

    /// The work of one execution: starts a process when subscribed to and ends it when disposed.
    func work(_ definition: ProcessDefinition, _ invocation: Invocation) -> Observable<RawJSON> {
        Observable.create { observer in
            let arguments: [ResolvedArgument]
            switch definition.arguments(for: invocation.input) {
            case .success(let resolved): arguments = resolved
            case .failure(let refusal):
                observer.onError(refusal.failure)
                return Disposables.create()
            }
            let start = ProcessStart(
                definition: definition, arguments: arguments, invocation: invocation, context: self)
            let execution = ProcessExecution(start, observer: observer)
            invocation.context.onCancel { reason in
                execution.cancel(grace: (reason as? CancellationRequest)?.grace)
            }
            execution.begin()
            return Disposables.create { execution.abandon() }
        }
    }
}
