internal import RxRecords
internal import Glibc
internal import Rx
internal import RxHost
internal import RxJSON
internal import RxLoop

/// The end of an execution. Everything except `endRest` happens on the loop.
///
/// - Normal end: the leader ends, then the pipes, either at once or after the rest of the session has held them for at
///   most `grace`. Remaining processes then get SIGTERM, and SIGKILL `lastChance` later. If none remain, another
///   process outside the session holds the pipes, and they are closed.
/// - Cancellation, timeout, or faulty output: the session gets SIGTERM, and SIGKILL `grace` later. Members that outlive
///   the leader have the same time, whether or not they hold the pipes.
/// - Otherwise: a process that survives SIGKILL for `killTime` is left behind, and the execution fails.
///
/// The journal entry of the end reports what the process did; a separate note reports what was done to it.
extension ProcessExecution {
    /// The time between SIGTERM and SIGKILL for members that outlive the leader; they have already had `grace`.
    static let lastChance = Duration.seconds(1)
    /// The time between SIGKILL and giving up. The kernel must free memory and possibly write a core, and the execution
    /// occupies its action meanwhile. A process that takes longer waits for hardware or belongs to another user.
    static let killTime = Duration.seconds(5)
    /// The interval between checks for members that do not hold the pipes: short at first, because most are about to
    /// end.
    static let restInterval = Duration.milliseconds(2)...Duration.milliseconds(200)

    func begin(_ pid: pid_t, _ descriptor: Int32, _ end: CheckedContinuation<Void, Never>) {
        do throws(SystemCallError) {
            let watch = try launcher.loop.watch(fd: descriptor, .readable) { [self] _ in leaderEnded() }
            phase = .alive(Leader(pid: pid, watch: watch, end: end))
            try open(&output) { [self] in readOutput() }
            try open(&error) { [self] in readError() }
        } catch {
            // No memory or no watches are left. A process whose end cannot be detected must not continue.
            failure = WorkFailure(message: "cannot watch the process: \(error)")
            let leader = Leader(pid: pid, watch: nil, end: end)
            ending = .killed
            signal(SIGKILL, leader)
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
        case .terminated:
            completeIfSilent()
        case .none, .wanted:
            if !completeIfSilent() { waitForRest(leader) }
        }
    }

    /// Gives the rest of the session `grace` to close the output, counted from when it is being read.
    private func waitForRest(_ leader: Leader) {
        schedule(after: definition.grace) { [self] in
            guard !isHeld else { return waitForRest(leader) }
            Task.detached { [self] in
                let isEmpty = leader.session.members().isEmpty
                launcher.loop.execute { self.endRest(isEmpty: isEmpty) }
            }
        }
    }

    private func endRest(isEmpty: Bool) {
        guard case .orphaned(let leader) = phase, case .none = ending else { return }
        guard !isEmpty else {
            note(
                .ending, "the process has ended; what has left its session still holds its output, which is closed now")
            return complete(leader)
        }
        let time = min(definition.grace, Self.lastChance)
        note(
            .ending,
            """
            the process has ended, others of its session still hold its output after \(definition.grace.rxText): \
            SIGTERM
            """
        )
        terminate(leader, grace: time)
    }

    /// Whether the end is under way; no reader may delay it.
    var mustNotWait: Bool {
        switch ending {
        case .none: false
        case .wanted, .terminated, .killed: true
        }
    }

    /// Ends the session: SIGTERM now, SIGKILL after `grace`. A repeated call can only shorten the time.
    func end(grace: Duration) {
        switch (phase, ending) {
        case (.ended, _), (_, .killed):
            return
        case (.starting, _):
            ending = .wanted(grace: grace)
        case (.alive, .terminated(let until)), (.orphaned, .terminated(let until)):
            guard .now + grace < until else { return }
            ending = .terminated(until: .now + grace)
            schedule(after: grace) { [self] in kill() }
        case (.alive(let leader), .none), (.alive(let leader), .wanted),
            (.orphaned(let leader), .none), (.orphaned(let leader), .wanted):
            isHeld = false
            guard grace > .zero else { return kill() }
            note(.ending, "SIGTERM to process \(leader.pid) and its session, which have \(grace.rxText) to end")
            terminate(leader, grace: grace)
        }
    }

    private func terminate(_ leader: Leader, grace: Duration) {
        ending = .terminated(until: .now + grace)
        signal(SIGTERM, leader)
        schedule(after: grace) { [self] in kill() }
    }

    private func kill() {
        ending = .killed
        switch phase {
        case .starting, .ended: break
        case .alive(let leader):
            note(.ending, "SIGKILL to process \(leader.pid) and its session")
            signal(SIGKILL, leader)
            schedule(after: Self.killTime) { [self] in leaveBehind() }
        case .orphaned(let leader):
            note(.ending, "SIGKILL to what is left of the session of process \(leader.pid), and its output is closed")
            signal(SIGKILL, leader)
            complete(leader)
        }
    }

    /// Reports the end although the process is alive. It is still waited for and stays in the ledger until it ends.
    private func leaveBehind() {
        guard case .alive(let leader) = phase else { return }
        leader.watch?.cancel()
        let failure = failure ?? .leftBehind(leader.pid)
        self.failure = failure
        isLeftBehind = true
        note(.daemon, WorkFailure.leftBehind(leader.pid).message)
        complete(leader)
        observer.onError(failure.adding(standardError: errors.tail))
    }

    /// Signals the group at once, and the rest of the session after scanning for it.
    private func signal(_ signal: Int32, _ leader: Leader) {
        leader.session.signalGroup(signal)
        signalling = Task.detached { [earlier = signalling] in
            await earlier?.value
            leader.session.signalOthers(signal)
        }
    }

    private func schedule(after delay: Duration, _ body: @escaping () -> Void) {
        timer?.cancel()
        timer = launcher.loop.schedule(after: delay, body)
    }

    /// Ends the execution if the process and the pipes have ended.
    @discardableResult
    func completeIfSilent() -> Bool {
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
        // Read the remaining content of the pipes before closing them; at most a pipe's capacity, because another
        // process may still be writing.
        for _ in 0..<(ReadBuffer.pipeSize / ReadBuffer.smallSize) {
            readOutput()
            readError()
        }
        endOutput()
        endError()
        input?.close()
        leader.end.resume()
    }

    /// Ends the remaining members of an execution's session. Members that have closed the output get what is left of
    /// the grace. Not on the loop; call it after `complete`.
    func endRest(of session: ProcessSession) async {
        await signalling?.value
        switch ending {
        case .none, .wanted: return
        case .terminated(let until):
            if await isEmpty(session, by: until) { return }
            note(.ending, "SIGKILL to what is left of the session of process \(session.leader)")
            session.signalGroup(SIGKILL)
            session.signalOthers(SIGKILL)
        case .killed: break
        }
        // Killed processes need a moment to disappear. A slower one is either already reported as left behind or not
        // worth waiting for.
        _ = await isEmpty(session, by: .now + Self.lastChance)
    }

    private func isEmpty(_ session: ProcessSession, by deadline: ContinuousClock.Instant) async -> Bool {
        var pause = Self.restInterval.lowerBound
        while !session.members().isEmpty {
            guard .now < deadline else { return false }
            try? await Task.sleep(for: min(pause, deadline - .now))
            pause = min(pause * 2, Self.restInterval.upperBound)
        }
        return true
    }
}
