internal import RxRecords
internal import Glibc
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import Synchronization
internal import RxLoop

/// One process, from its start to its end.
///
/// It ends when its process has ended and both its output pipes have. `ProcessExecution+End` has the ways there.
///
/// The ended process stays a zombie until the execution ends, so that the number of its session, which signals are sent
/// to, cannot become somebody else's.
// Sendable: the mutable state belongs to the loop's thread from `begin` to the resumption of its continuation, and to
// the task that waits for it before and after.
final class ProcessExecution: @unchecked Sendable {
    let definition: ProcessDefinition
    let arguments: [String]
    let invocation: Invocation
    let launcher: ProcessServices
    let observer: AnyObserver<RawJSON>
    let id: String
    let isAbandoned = Atomic(false)
    /// Cancelled or abandoned: need not be started any more.
    let isUnwanted = Atomic(false)

    var phase = Phase.starting
    var ending = Ending.none
    var timer: Timer?
    /// What looks through the session for those to signal; the leader must not be waited for before it is done.
    var signalling: Task<Void, Never>?
    /// Whether the end was told while the process lives on, since it cannot be ended.
    var isLeftBehind = false
    var input: PipeWriter?
    var output: Reading
    var error: Reading
    var elements: ProcessOutputReader
    var errors: ErrorOutputReader
    /// Why the process was ended by us.
    var failure: WorkFailure?

    enum Phase {
        /// There is no process yet.
        case starting
        case alive(Leader)
        /// Its process has ended, its pipes have not.
        case orphaned(Leader)
        case ended
    }

    /// How far ending the session has got.
    enum Ending {
        case none
        case wanted(grace: Duration)
        /// SIGTERM was sent; at that time SIGKILL will be.
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

    /// Whether a reader who may do so holds back the output.
    var isHeld = false {
        didSet {
            guard isHeld != oldValue else { return }
            // Not watched at all while held: the end of a pipe is told again and again.
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

    /// SIGTERM to the session, SIGKILL after `grace`, which is the definition's unless given. What was not started yet is
    /// not started.
    func cancel(grace: Duration?) {
        isUnwanted.store(true, ordering: .relaxed)
        launcher.loop.execute { self.end(grace: grace ?? self.definition.grace) }
    }

    /// As `cancel`, for an observer that wants to hear no more.
    func abandon() {
        isAbandoned.store(true, ordering: .relaxed)
        cancel(grace: nil)
    }

    func note(_ source: ProcessNote.Source, _ text: String) {
        launcher.log(ProcessNote(source: source, action: invocation.action, execution: id, text: text))
    }
}
