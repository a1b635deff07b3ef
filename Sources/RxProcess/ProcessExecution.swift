internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxLoop
internal import RxRecords
internal import Subprocess
internal import Synchronization

// Sendable: the mutable state belongs to the loop's thread until the process is reaped, and to the waiting task after
// that.
/// One process from its start to its end: `ProcessStart` starts it, `OutputPipes` reads its output, and `ProcessEnding`
/// decides how it ends.
///
/// The execution ends when its process and both output pipes have ended. The process stays a zombie until then, so that
/// the session number, to which signals are sent, is not reused.
final class ProcessExecution: @unchecked Sendable {
    private let definition: ProcessDefinition
    private let arguments: [String]
    private let invocation: Invocation
    private let services: ProcessServices
    private let observer: AnyObserver<RawJSON>
    /// Whether the execution was canceled or abandoned, so that its process need not be started.
    private let isUnwanted = Atomic(false)

    private var ending: ProcessEnding
    private let start = ContinuousClock.now
    private var timer: Timer?
    private var running: Running?
    /// Whether nobody wants the elements any more.
    private var isAbandoned = false
    /// Whether the end was reported although the process is alive and cannot be ended.
    private var isLeftBehind = false
    /// The reason why the daemon ended the process.
    private var failure: WorkFailure?
    private var errorTail: String?

    /// What exists while the process does.
    private struct Running {
        let process: StartedProcess
        let session: SessionControl
        let input: PipeWriter
        let output: OutputPipes
        /// Watches for the end of the process.
        var watch: Watch?
        /// Lets the process be reaped.
        let reap: CheckedContinuation<Void, Never>
    }

    init(
        definition: ProcessDefinition, arguments: [String], invocation: Invocation, services: ProcessServices,
        observer: AnyObserver<RawJSON>
    ) {
        self.definition = definition
        self.arguments = arguments
        self.invocation = invocation
        self.services = services
        self.observer = observer
        ending = ProcessEnding(grace: definition.grace)
    }

    // MARK: Any thread

    /// Starts the process. Called once.
    func begin() {
        Task.detached { await self.execute() }
    }

    /// Sends SIGTERM to the session, and SIGKILL after `grace`, by default that of the definition. Prevents a start
    /// that has not happened yet.
    func cancel(grace: Duration?) {
        isUnwanted.store(true, ordering: .relaxed)
        services.loop.execute { self.handle(.endRequested(grace: grace ?? self.definition.grace)) }
    }

    /// Cancels the execution for an observer that has been disposed.
    func abandon() {
        services.loop.execute {
            self.isAbandoned = true
            self.running?.output.discard()
        }
        cancel(grace: nil)
    }

    private func note(_ source: ProcessNote.Source, _ text: String) {
        services.log(
            ProcessNote(
                source: source, action: invocation.action, execution: invocation.context.id.description, text: text))
    }

    // MARK: The waiting task

    private func execute() async {
        guard !isUnwanted.load(ordering: .relaxed) else { return observer.onError(WorkFailure.cancelledBeforeStart) }
        let start = ProcessStart(
            definition: definition, arguments: arguments, invocation: invocation, services: services)
        let result = await start.run { process in
            await withCheckedContinuation { reap in
                self.services.loop.execute { self.started(process, reap) }
            }
        }
        switch result {
        case .success(let status): finish(status)
        case .failure(let failure): observer.onError(failure)
        }
    }

    private func finish(_ status: TerminationStatus) {
        if isLeftBehind {
            // The end was already reported.
        } else if let failure {
            observer.onError(failure.adding(standardError: errorTail))
        } else if status.isSuccess {
            observer.onCompleted()
        } else {
            observer.onError(WorkFailure.ended(status, standardError: errorTail))
        }
    }

    // MARK: The loop: events

    private func started(_ process: StartedProcess, _ reap: CheckedContinuation<Void, Never>) {
        let output = OutputPipes(
            process, definition, services, flow: invocation.flow, emit: observer.onNext,
            note: { [self] in note($0, $1) },
            report: { [self] in heard($0) })
        if isAbandoned { output.discard() }
        let loop = services.loop
        running = Running(
            process: process, session: SessionControl(leader: process.pid), input: PipeWriter(process.input, on: loop),
            output: output, reap: reap)
        do throws(SystemCallError) {
            running?.watch = try loop.watch(fd: process.descriptor, .readable) { [self] _ in leaderEnded() }
            try output.open()
        } catch {
            // No memory or no watches are left. A process whose end cannot be detected must not continue.
            fail(.unwatchable(error))
            return handle(.watchFailed)
        }
        invocation.flow?.onChange { [self] isHeld in
            loop.execute { self.handle(.held(isHeld)) }
        }
        handle(.started(process.pid))
    }

    private func leaderEnded() {
        running?.watch?.cancel()
        running?.input.close()
        handle(.leaderEnded)
    }

    private func heard(_ event: OutputPipes.Event) {
        switch event {
        case .closed: handle(.outputClosed)
        case .faulty(let failure):
            fail(failure)
            handle(.endRequested(grace: definition.grace))
        }
    }

    /// Sets the failure of the execution unless it has one, and ignores further output.
    private func fail(_ failure: WorkFailure) {
        self.failure = self.failure ?? failure
        running?.output.discard()
    }

    // MARK: The loop: actions

    private func handle(_ event: ProcessEndingEvent) {
        for action in ending.handle(event, at: ContinuousClock.now - start) {
            if let running { perform(action, on: running) }
        }
    }

    private func perform(_ action: ProcessEndingAction, on running: Running) {
        switch action {
        case .signal(let signal): running.session.signal(signal)
        case .startTimer(let delay):
            timer?.cancel()
            timer = services.loop.schedule(after: delay) { [self] in handle(.timerFired) }
        case .stopTimer:
            timer?.cancel()
            timer = nil
        case .scan:
            running.session.scan { [self] isEmpty in
                services.loop.execute { self.handle(.scanned(isEmpty: isEmpty)) }
            }
        case .note(let text): note(.ending, text)
        case .hold(let isHeld): hold(isHeld, running.output)
        case .closeOutput: close(running)
        case .leaveBehind: leaveBehind(running)
        case .reap:
            errorTail = running.output.errorTail
            self.running = nil
            running.reap.resume()
        }
    }

    private func hold(_ isHeld: Bool, _ output: OutputPipes) {
        do throws(SystemCallError) {
            try output.hold(isHeld)
        } catch {
            fail(.unwatchable(error))
            handle(.endRequested(grace: .zero))
        }
    }

    private func close(_ running: Running) {
        running.watch?.cancel()
        invocation.flow?.finish()
        running.output.close()
        running.input.close()
    }

    private func leaveBehind(_ running: Running) {
        let failure = WorkFailure.leftBehind(running.process.pid)
        fail(failure)
        isLeftBehind = true
        note(.daemon, failure.message)
        close(running)
        observer.onError((self.failure ?? failure).adding(standardError: running.output.errorTail))
    }
}
