internal import Glibc
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import Synchronization
internal import UnixSocket

/// One process, from its start to its end.
///
/// It ends when its process has ended and both its output pipes have. Once the process has ended, what is left of its
/// group may hold the pipes for `grace` longer, then it is sent SIGTERM, and `lastChance` later SIGKILL.
///
/// The ended process stays a zombie until the execution ends, so that the number of its group, which signals are sent
/// to, cannot become somebody else's.
// Sendable: the mutable state belongs to the loop's thread from `begin` to the resumption of its continuation, and to
// the task that waits for it before and after.
final class ProcessExecution: @unchecked Sendable {
    /// From SIGTERM to SIGKILL for a group that outlives its leader; it has had `grace` already.
    private static let lastChance = Duration.seconds(1)

    let definition: ProcessDefinition
    let arguments: [String]
    let invocation: Invocation
    let launcher: ProcessLauncher
    let observer: AnyObserver<RawJSON>
    let id: String
    let isAbandoned = Atomic(false)

    private var phase = Phase.starting
    private var ending = Ending.none
    private var timer: Timer?
    var input: PipeWriter?
    var output: Reading
    var error: Reading
    private var elements: ProcessOutputReader
    var errors: ErrorOutputReader
    /// Why the process was ended by us.
    var failure: WorkFailure?

    private enum Phase {
        /// There is no process yet.
        case starting
        case alive(Leader)
        /// Its process has ended, its pipes have not.
        case orphaned(Leader)
        case ended
    }

    /// How far ending the group has got.
    private enum Ending {
        case none
        case wanted(grace: Duration)
        case terminated
        case killed
    }

    private struct Leader {
        let pid: pid_t
        let watch: Watch?
        let end: CheckedContinuation<Void, Never>
    }

    enum Reading {
        case closed
        case unwatched(Int32)
        case open(Watch)
    }

    init(
        definition: ProcessDefinition, arguments: [String], invocation: Invocation, launcher: ProcessLauncher,
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
    private var isHeld = false {
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

    /// SIGTERM to the group, SIGKILL after `grace`, which is the definition's unless given.
    func cancel(grace: Duration?) {
        launcher.loop.execute { self.end(grace: grace ?? self.definition.grace) }
    }

    /// As `cancel`, for an observer that wants to hear no more.
    func abandon() {
        isAbandoned.store(true, ordering: .relaxed)
        cancel(grace: nil)
    }

    // MARK: The loop: begin and end

    func begin(_ pid: pid_t, _ descriptor: Int32, _ end: CheckedContinuation<Void, Never>) {
        do throws(SocketError) {
            let watch = try launcher.loop.watch(fd: descriptor, .readable) { [self] _ in leaderEnded() }
            phase = .alive(Leader(pid: pid, watch: watch, end: end))
            try open(&output) { [self] in readOutput() }
            try open(&error) { [self] in readError() }
        } catch {
            // Out of memory or of watches: what cannot be seen to end must not go on.
            failure = WorkFailure(message: "cannot watch the process: \(error)")
            let leader = Leader(pid: pid, watch: nil, end: end)
            ending = .killed
            _ = Glibc.kill(-pid, SIGKILL)
            return complete(leader)
        }
        input?.begin(on: launcher.loop)
        invocation.flow?.onChange { [self] isHeld in
            launcher.loop.execute { self.isHeld = isHeld && !self.mustNotWait }
        }
        if case .wanted(let grace) = ending {
            ending = .none
            self.end(grace: grace)
        }
    }

    private func leaderEnded() {
        guard case .alive(let leader) = phase else { return }
        leader.watch?.cancel()
        phase = .orphaned(leader)
        input?.close()
        switch ending {
        case .killed:
            complete(leader)
        case .none, .wanted, .terminated:
            guard !completeIfSilent() else { return }
            if case .terminated = ending { return }
            waitForRest()
        }
    }

    /// Gives what is left of the group `grace` to let go of the output, from when somebody reads it.
    private func waitForRest() {
        schedule(after: definition.grace) { [self] in
            guard !isHeld else { return waitForRest() }
            ending = .terminated
            signalGroup(SIGTERM)
            schedule(after: Self.lastChance) { [self] in kill() }
        }
    }

    /// Whether the end is under way, which no reader may delay.
    private var mustNotWait: Bool {
        switch ending {
        case .none: false
        case .wanted, .terminated, .killed: true
        }
    }

    /// Ends the group: SIGTERM now, SIGKILL after `grace`.
    private func end(grace: Duration) {
        switch (phase, ending) {
        case (.ended, _), (_, .terminated), (_, .killed):
            return
        case (.starting, _):
            ending = .wanted(grace: grace)
        case (.alive, .none), (.alive, .wanted), (.orphaned, .none), (.orphaned, .wanted):
            isHeld = false
            guard grace > .zero else { return kill() }
            ending = .terminated
            signalGroup(SIGTERM)
            schedule(after: grace) { [self] in kill() }
        }
    }

    private func kill() {
        ending = .killed
        signalGroup(SIGKILL)
        // A living leader is waited for; whoever else holds the pipes now has left the group.
        if case .orphaned(let leader) = phase { complete(leader) }
    }

    private func signalGroup(_ signal: Int32) {
        switch phase {
        case .alive(let leader), .orphaned(let leader): _ = Glibc.kill(-leader.pid, signal)
        case .starting, .ended: break
        }
    }

    private func schedule(after delay: Duration, _ body: @escaping () -> Void) {
        timer?.cancel()
        timer = launcher.loop.schedule(after: delay, body)
    }

    /// Ends the execution if process and pipes have ended.
    @discardableResult
    private func completeIfSilent() -> Bool {
        guard case .orphaned(let leader) = phase, case .closed = output, case .closed = error else { return false }
        complete(leader)
        return true
    }

    private func complete(_ leader: Leader) {
        phase = .ended
        timer?.cancel()
        timer = nil
        invocation.flow?.finish()
        isHeld = false
        // What the pipes hold of the time before they are closed on whoever still has them; not more than they can hold,
        // since somebody may still be writing.
        for _ in 0..<(ReadBuffer.pipeSize / ReadBuffer.smallSize) {
            readOutput()
            readError()
        }
        endOutput()
        endError()
        input?.close()
        switch ending {
        case .none, .wanted: break
        // Its leader is done; the rest of the group has let go of the output, or is dead already.
        case .terminated, .killed: _ = Glibc.kill(-leader.pid, SIGKILL)
        }
        leader.end.resume()
    }

    // MARK: The loop: pipes

    private func open(_ reading: inout Reading, _ body: @escaping () -> Void) throws(SocketError) {
        guard case .unwatched(let descriptor) = reading else { return }
        reading = .open(try launcher.loop.watch(fd: descriptor, .readable) { _ in body() })
    }

    /// Goes on reading; without a watch to be had, the process must end.
    private func watchOutput() {
        do throws(SocketError) {
            try open(&output) { [self] in readOutput() }
        } catch {
            failure = failure ?? WorkFailure(message: "cannot watch the process: \(error)")
            end(grace: .zero)
        }
    }

    private func readOutput() {
        guard case .open(let watch) = output else { return }
        let isPaced = invocation.flow?.isPaced ?? false
        switch launcher.scratch.read(watch.fd, atMost: isPaced ? ReadBuffer.smallSize : ReadBuffer.size) {
        case .nothingYet: return
        case .bytes(let bytes): deliver { elements throws(WorkFailure) in try elements.push(bytes, observer.onNext) }
        case .end:
            endOutput()
            completeIfSilent()
        }
    }

    private func endOutput() {
        if case .closed = output { return }
        output = closed(output)
        deliver { elements throws(WorkFailure) in try elements.finish(observer.onNext) }
    }

    /// Feeds the reader of elements, unless something was wrong with the output before: then it is only drained.
    private func deliver(_ body: (inout ProcessOutputReader) throws(WorkFailure) -> Void) {
        guard failure == nil, !isAbandoned.load(ordering: .relaxed) else { return }
        let wasRepaired = elements.repairedLine != nil
        do throws(WorkFailure) {
            try body(&elements)
        } catch {
            failure = error
            end(grace: definition.grace)
        }
        if !wasRepaired, let line = elements.repairedLine {
            note(.daemon, "line \(line) of the output is not UTF-8; what was wrong with it was replaced")
        }
    }

    private func readError() {
        guard case .open(let watch) = error else { return }
        switch launcher.scratch.read(watch.fd, atMost: ReadBuffer.smallSize) {
        case .nothingYet: return
        case .bytes(let bytes): errors.push(bytes) { note(.standardError, $0) }
        case .end:
            endError()
            completeIfSilent()
        }
    }

    private func endError() {
        if case .closed = error { return }
        error = closed(error)
        errors.finish { note(.standardError, $0) }
    }

    private func note(_ source: ProcessNote.Source, _ text: String) {
        launcher.log(ProcessNote(source: source, action: invocation.action, execution: id, text: text))
    }

    func closed(_ reading: Reading) -> Reading {
        switch reading {
        case .open(let watch):
            watch.cancel()
            close(watch.fd)
        case .unwatched(let descriptor):
            close(descriptor)
        case .closed: break
        }
        return .closed
    }
}
