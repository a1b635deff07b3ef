// Process actions: an execution is a process, its output the elements.
//
//     ProcessDefinition (what the configuration says) + Invocation (what the client sent)
//       -> ProcessServices.work: a cold Observable -> ProcessExecution: one process from its start to its end
//            ProgramLookup, ProcessEnvironment, Pipe     before it starts
//            ProcessOutputReader, ErrorOutputReader      while it lives, on the loop
//            ProcessSession, ProcessExecution+End        how it is ended, and who with it
//            ProcessEnd                                  what its status means
//       ProcessLedger: what must not outlive the daemon
//
// Rules:
// - No shell. Input reaches a process as whole arguments, as JSON on its standard input, and in no other way.
// - A process leads its own session, and in it its own group; it starts with default signal dispositions and an empty
//   mask, and inherits no descriptor but its three.
// - An execution ends when its process has ended and nobody holds its output any more; see `ProcessExecution+End` for how
//   long the rest of the session may hold it. Nothing is an element that is written after that.
// - A cancelled, disposed or faulty execution takes its whole session with it: SIGTERM, then SIGKILL after the grace. After
//   a normal end, members that have let go of the output live on, as they would under cron or a shell. So does, after any
//   end, what began a session of its own: to find such a one would take a subreaper, and reading every environment to
//   guess whose it is. A service manager ends it with the daemon (KillMode).
// - Each of these ends comes within twice the grace; with a process that SIGKILL does not end, `killTime` later.
// - Everything is bounded: see `ProcessLimits`. How many processes a program starts is not ours to bound (TasksMax).
// - A failure that the same input would meet again says so: `WorkFailure.mayPass`.
internal import RxRecords
package import Rx
internal import RxAction
package import RxHost
package import RxJSON

extension ProcessServices {
    /// The work of a process action: starts a process when subscribed, and ends it when disposed.
    ///
    /// `context`'s cancel is cooperative: SIGTERM to the session, SIGKILL after the grace, and elements until the end. A
    /// `CancellationRequest` may bring a grace of its own.
    package func work(_ definition: ProcessDefinition) -> @Sendable (Invocation) -> Observable<RawJSON> {
        { invocation in
            Observable.create { observer in
                let arguments: [String]
                switch definition.arguments(for: invocation.input) {
                case .success(let resolved): arguments = resolved
                case .failure(let refusal):
                    observer.onError(refusal.failure)
                    return Disposables.create()
                }
                let execution = ProcessExecution(
                    definition: definition, arguments: arguments, invocation: invocation, launcher: self,
                    observer: observer)
                invocation.context.onCancel { reason in
                    execution.cancel(grace: (reason as? CancellationRequest)?.grace)
                }
                execution.start()
                return Disposables.create { execution.abandon() }
            }
        }
    }
}
