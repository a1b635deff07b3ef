internal import RxRecords
internal import Glibc
internal import Rx
internal import RxHost
internal import RxJSON
internal import RxLoop

/// How an execution ends. All of it but `endRest` happens on the loop.
///
/// - By itself: the leader ends, and then the pipes, at once or while what is left of the session holds them, for `grace` at
///   most. After that what is left is sent SIGTERM, and `lastChance` later SIGKILL. Is nothing left, then whoever holds the
///   pipes has left the session to live on, and they are closed on it.
/// - By a cancellation, a time-out, or a fault in its output: the session is sent SIGTERM, and `grace` later SIGKILL. Members
///   that outlive the leader have the same time, whether they hold the pipes or not.
/// - If nothing else: what SIGKILL does not end within `killTime` is left behind, and the execution fails.
///
/// What a process does is said in the journal by its end; what is done to it, by a note of its own.
extension ProcessExecution {
    /// From SIGTERM to SIGKILL for members that outlive the leader; they have had `grace` already.
    static let lastChance = Duration.seconds(1)
    /// From SIGKILL to giving up. Memory has to be freed and a core to be written, and the execution holds its action
    /// meanwhile; what takes longer waits for hardware, or belongs to another user by now.
    static let killTime = Duration.seconds(5)
    /// How often members that do not hold the pipes are looked for: often at first, for most are about to go.
    static let restInterval = Duration.milliseconds(2)...Duration.milliseconds(200)

    func begin(_ pid: pid_t, _ descriptor: Int32, _ end: CheckedContinuation<Void, Never>) {
        do throws(SystemCallError) {
            let watch = try launcher.loop.watch(fd: descriptor, .readable) { [self] _ in leaderEnded() }
            phase = .alive(Leader(pid: pid, watch: watch, end: end))
            try open(&output) { [self] in readOutput() }
            try open(&error) { [self] in readError() }
        } catch {
            // Out of memory or of watches: what cannot be seen to end must not go on.
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

    /// Gives what is left of the session `grace` to let go of the output, from when somebody reads it.
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
            "the process has ended, others of its session still hold its output after \(definition.grace.rxText): SIGTERM"
        )
        terminate(leader, grace: time)
    }

    /// Whether the end is under way, which no reader may delay.
    var mustNotWait: Bool {
        switch ending {
        case .none: false
        case .wanted, .terminated, .killed: true
        }
    }

    /// Ends the session: SIGTERM now, SIGKILL after `grace`. Told again, it may only shorten the time.
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

    /// Tells the end although the process lives. It is still waited for, and stays in the ledger until then.
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

    /// To the group at once, and to the rest of the session when it has been looked for.
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

    /// Ends the execution if process and pipes have ended.
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
        // What the pipes hold of the time before they are closed on whoever still has them; not more than they can hold,
        // since somebody may still be writing.
        for _ in 0..<(ReadBuffer.pipeSize / ReadBuffer.smallSize) {
            readOutput()
            readError()
        }
        endOutput()
        endError()
        input?.close()
        leader.end.resume()
    }

    /// Sees to it that nothing is left of the session of an execution that was ended: members that have let go of the output
    /// have what is left of the grace. Not on the loop, after `complete`.
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
        // What is killed needs a moment to go. What needs longer was said to be left behind, or is not worth waiting for.
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
