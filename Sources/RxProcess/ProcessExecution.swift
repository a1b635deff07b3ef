internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxLoop
internal import RxRecords
internal import Synchronization

// Sendable: the mutable state belongs to the loop's thread until the process is reaped, and to the thread that reports
// its status after that.
/// One process from its start to its end: `ProcessStart` starts it, `OutputPipes` reads its output, and `ProcessEnding`
/// decides how it ends.
///
/// The execution ends when its process and both output pipes have ended. The process stays a zombie until then, so that
/// the session number, to which signals are sent, is not reused.
final class ProcessExecution<System: ProcessSystem>: @unchecked Sendable {
    private let start: ProcessStart<System>
    private let observer: AnyObserver<RawJSON>
    /// Whether the execution was canceled or abandoned, so that its process need not be started.
    private let isUnwanted = Atomic(false)

    private var ending: ProcessEnding
    private var timer: System.Loop.Timer?
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
        let process: SpawnedProcess
        let session: SessionControl<System>
        let input: PipeWriter<System>
        let output: OutputPipes<System>
        /// Watches for the end of the process.
        var watch: System.Loop.Watch?
    }

    init(_ start: ProcessStart<System>, observer: AnyObserver<RawJSON>) {
        self.start = start
        self.observer = observer
        ending = ProcessEnding(grace: start.definition.grace)
    }

    private var system: System { start.context.system }

    // MARK: Any thread

    /// Starts the process. Called once.
    func begin() {
        system.background.run {
            guard !self.isUnwanted.load(ordering: .relaxed) else {
                return self.observer.onError(WorkFailure.cancelledBeforeStart)
            }
            self.start.run(
                started: { process in self.system.loop.execute { self.started(process) } },
                ended: { result in self.ended(result) })
        }
    }

    /// Sends SIGTERM to the session, and SIGKILL after `grace`, by default that of the definition. Prevents a start
    /// that has not happened yet.
    func cancel(grace: Duration?) {
        isUnwanted.store(true, ordering: .relaxed)
        system.loop.execute { self.handle(.endRequested(grace: grace ?? self.start.definition.grace)) }
    }

    /// Cancels the execution for an observer that has been disposed.
    func abandon() {
        system.loop.execute {
            self.isAbandoned = true
            self.running?.output.discard()
        }
        cancel(grace: nil)
    }

    private func note(_ source: ProcessNote.Source, _ text: String) {
        start.context.log(
            ProcessNote(source: source, action: start.invocation.action, execution: start.id, text: text))
    }

    private func ended(_ result: Result<ProcessStatus, WorkFailure>) {
        switch result {
        case .failure(let failure): observer.onError(failure)
        case .success where isLeftBehind: break
        case .success(let status):
            if let failure {
                observer.onError(failure.adding(standardError: errorTail))
            } else if status == .exited(0) {
                observer.onCompleted()
            } else {
                observer.onError(WorkFailure.ended(status, standardError: errorTail))
            }
        }
    }

    // MARK: The loop: events

    private func started(_ started: StartedProcess) {
        let process = started.process
        let flow = start.invocation.flow
        let output = OutputPipes(
            started, start.definition, start.context, flow: flow, secrets: start.invocation.mask,
            emit: observer.onNext, note: { [self] in note($0, $1) }, keepError: start.invocation.keepError,
            report: { [self] in heard($0) })
        if isAbandoned { output.discard() }
        running = Running(
            process: process, session: SessionControl(leader: process.pid, in: system),
            input: PipeWriter(started.input, in: system), output: output)
        do throws(SystemCallError) {
            running?.watch = try system.loop.watchReadable(process.descriptor) { [self] in leaderEnded() }
            try running?.input.open()
            try output.open()
        } catch {
            // No memory or no watches are left. A process whose end cannot be detected must not continue.
            fail(.unwatchable(error))
            return handle(.watchFailed)
        }
        flow?.onChange { [self] isHeld in
            system.loop.execute { self.handle(.held(isHeld)) }
        }
        handle(.started(process.pid))
    }

    private func leaderEnded() {
        running?.watch?.cancel()
        running?.input.close()
        handle(.leaderEnded)
    }

    private func heard(_ event: OutputEvent) {
        switch event {
        case .closed: handle(.outputClosed)
        case .faulty(let failure):
            fail(failure)
            handle(.endRequested(grace: start.definition.grace))
        }
    }

    /// Sets the failure of the execution unless it has one, and ignores further output.
    private func fail(_ failure: WorkFailure) {
        self.failure = self.failure ?? failure
        running?.output.discard()
    }

    // MARK: The loop: actions

    private func handle(_ event: ProcessEndingEvent) {
        for action in ending.handle(event, at: system.loop.now) {
            if let running { perform(action, on: running) }
        }
    }

    private func perform(_ action: ProcessEndingAction, on running: Running) {
        switch action {
        case .signal(let signal): running.session.signal(signal)
        case .startTimer(let delay):
            timer?.cancel()
            timer = system.loop.schedule(after: delay) { [self] in handle(.timerFired) }
        case .stopTimer:
            timer?.cancel()
            timer = nil
        case .scan:
            running.session.scan { [self] scan in handle(.scanned(scan)) }
        case .note(let text): note(.ending, text)
        case .hold(let isHeld): hold(isHeld, running.output)
        case .closeOutput: close(running)
        case .leaveBehind: leaveBehind(running)
        case .reap:
            errorTail = running.output.errorTail
            self.running = nil
            running.process.reap()
        }
    }

    private func hold(_ isHeld: Bool, _ output: OutputPipes<System>) {
        do throws(SystemCallError) {
            try output.hold(isHeld)
        } catch {
            fail(.unwatchable(error))
            handle(.endRequested(grace: .zero))
        }
    }

    private func close(_ running: Running) {
        running.watch?.cancel()
        start.invocation.flow?.finish()
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
