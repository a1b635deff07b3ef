internal import RxRecords
internal import Glibc
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import Synchronization
internal import RxLoop

// Sendable: the mutable state belongs to the loop's thread from `begin` to the resumption of its continuation, and to
// the waiting task before and after.
/// One process from its start to its end.
///
/// The execution ends when its process and both output pipes have ended; `ProcessExecution+End` describes all cases.
///
/// The process stays a zombie until the execution ends, so that the session number, to which signals are sent, is not
/// reused.
final class ProcessExecution: @unchecked Sendable {
    let definition: ProcessDefinition
    let arguments: [String]
    let invocation: Invocation
    let launcher: ProcessServices
    let observer: AnyObserver<RawJSON>
    let id: String
    let isAbandoned = Atomic(false)
    /// Whether the execution was canceled or abandoned, so that its process need not be started.
    let isUnwanted = Atomic(false)

    var phase = Phase.starting
    var ending = Ending.none
    var timer: Timer?
    /// The scan for the session's members to signal. The leader must not be reaped before it is done.
    var signalling: Task<Void, Never>?
    /// Whether the end was reported although the process is alive and cannot be ended.
    var isLeftBehind = false
    var input: PipeWriter?
    var output: Reading
    var error: Reading
    var elements: ProcessOutputReader
    var errors: ErrorOutputReader
    /// The reason why the daemon ended the process.
    var failure: WorkFailure?

    enum Phase {
        /// The process does not exist yet.
        case starting
        case alive(Leader)
        /// The process has ended, its pipes have not.
        case orphaned(Leader)
        case ended
    }

    /// The progress of ending the session.
    enum Ending {
        case none
        case wanted(grace: Duration)
        /// SIGTERM was sent; SIGKILL follows at this time.
        case terminated(until: ContinuousClock.Instant)
        case killed
    }

    struct Leader {
        let pid: pid_t
        let watch: Watch?
        let end: CheckedContinuation<Void, Never>

        var session: ProcessSession { ProcessSession(leader: pid) }
    }

    enum Reading {
        case closed
        case unwatched(Int32)
        case open(Watch)
    }

    init(
        definition: ProcessDefinition, arguments: [String], invocation: Invocation, launcher: ProcessServices,
        observer: AnyObserver<RawJSON>
    ) {
        self.definition = definition
        self.arguments = arguments
        self.invocation = invocation
        self.launcher = launcher
        self.observer = observer
        id = invocation.context.id.description
        output = .closed
        error = .closed
        elements = ProcessOutputReader(definition.output, limits: definition.limits)
        errors = ErrorOutputReader(limits: definition.limits)
    }

    /// Whether a reader with backpressure holds the output back.
    var isHeld = false {
        didSet {
            guard isHeld != oldValue else { return }
            // Remove the watch while held, because the end of a pipe would be reported repeatedly.
            if isHeld, case .open(let watch) = output {
                watch.cancel()
                output = .unwatched(watch.fd)
            } else if !isHeld {
                watchOutput()
            }
        }
    }

    // MARK: Any thread

    /// Starts the process. Called once.
    func start() {
        Task.detached { await self.execute() }
    }

    /// Sends SIGTERM to the session, and SIGKILL after `grace`, by default that of the definition. Prevents a start
    /// that has not happened yet.
    func cancel(grace: Duration?) {
        isUnwanted.store(true, ordering: .relaxed)
        launcher.loop.execute { self.end(grace: grace ?? self.definition.grace) }
    }

    /// Cancels the execution for an observer that has been disposed.
    func abandon() {
        isAbandoned.store(true, ordering: .relaxed)
        cancel(grace: nil)
    }

    func note(_ source: ProcessNote.Source, _ text: String) {
        launcher.log(ProcessNote(source: source, action: invocation.action, execution: id, text: text))
    }
}
