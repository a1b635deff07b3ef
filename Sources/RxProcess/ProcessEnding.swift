internal import Glibc
internal import RxJSON

/// Decides how the session of one process ends. A pure value: each event returns the actions to carry out, in order.
///
/// - Normal end: the leader ends, then its output, either at once or after the rest of the session has held it for at
///   most `grace`. Remaining processes then get SIGTERM, and SIGKILL `lastChance` later. If none remain, a process
///   outside the session holds the output, and it is closed. If a slow reader holds the output back when the grace is
///   over, another grace begins when the reader continues.
/// - Cancellation, timeout, or faulty output: the session gets SIGTERM, and SIGKILL `grace` later. Members that outlive
///   the leader have the same time, whether or not they hold the output.
/// - Otherwise: a process that survives SIGKILL for `killTime` is left behind, and the execution fails.
///
/// The journal entry of the end reports what the process did; a separate note reports what was done to it.
///
/// An instant is the time since a fixed point of the caller's monotonic clock.
struct ProcessEnding {
    /// The time between SIGTERM and SIGKILL for members that outlive the leader; they have already had `grace`. Also
    /// the time that killed members have to disappear.
    static let lastChance = Duration.seconds(1)
    /// The time between SIGKILL and giving up. The kernel must free memory and possibly write a core, and the execution
    /// occupies its action meanwhile. A process that takes longer waits for hardware or belongs to another user.
    static let killTime = Duration.seconds(5)
    /// The interval between scans for members that do not hold the output: short at first, because most are about to
    /// end.
    static let scanInterval = Duration.milliseconds(2)...Duration.milliseconds(200)

    private let grace: Duration
    private var state = State.starting(grace: nil)
    private var isOutputClosed = false
    /// Whether a reader holds the output back.
    private var isHeld = false
    /// The number of scans whose results are pending; only the last result counts.
    private var pendingScans = 0
    private var nextPause = scanInterval.lowerBound
    /// Whether all scans have found something out. The first failure is noted.
    private var isCertain = true

    private enum State {
        /// The process does not exist yet. With a grace, it is to end as soon as it exists.
        case starting(grace: Duration?)
        case running(pid_t)
        /// The leader has ended; something else holds its output. The grace is over if a reader held the output back
        /// then; no timer runs until the reader continues.
        case lingering(pid_t, isGraceOver: Bool)
        /// The session got SIGTERM; SIGKILL follows at the deadline.
        case terminated(pid_t, deadline: Duration, isLeaderAlive: Bool)
        /// The session got SIGKILL; the leader is alive.
        case killed(pid_t)
        /// The output is closed. Members that got SIGTERM have until the deadline.
        case clearing(pid_t, deadline: Duration)
        /// The output is closed, and the session got SIGKILL. Members have until the deadline, set by the first scan.
        case vanishing(deadline: Duration?)
        case ended
    }

    /// Begins before the process exists.
    ///
    /// - Parameter grace: how long members may hold the output after the leader's end.
    init(grace: Duration) {
        self.grace = grace
    }

    /// Returns the actions that an event at the instant `now` requires.
    mutating func handle(_ event: ProcessEndingEvent, at now: Duration) -> [ProcessEndingAction] {
        switch event {
        case .started(let pid): started(pid, now)
        case .watchFailed: watchFailed()
        case .leaderEnded: leaderEnded()
        case .outputClosed: outputClosed()
        case .held(let isHeld): held(isHeld)
        case .endRequested(let grace): endRequested(grace, now)
        case .timerFired: timerFired(now)
        case .scanned(let scan): scanned(scan, now)
        }
    }

    // MARK: Events

    private mutating func started(_ pid: pid_t, _ now: Duration) -> [ProcessEndingAction] {
        guard case .starting(let grace) = state else { return [] }
        state = .running(pid)
        guard let grace else { return [] }
        return endRequested(grace, now)
    }

    private mutating func watchFailed() -> [ProcessEndingAction] {
        guard case .starting = state else { return [] }
        return [.signal(SIGKILL)] + closeOutput(then: .vanishing(deadline: nil))
    }

    private mutating func leaderEnded() -> [ProcessEndingAction] {
        switch state {
        case .running(let pid):
            if isOutputClosed { return finish() }
            state = .lingering(pid, isGraceOver: false)
            return [.startTimer(grace)]
        case .terminated(let pid, let deadline, isLeaderAlive: true):
            if isOutputClosed { return closeOutput(then: .clearing(pid, deadline: deadline)) }
            state = .terminated(pid, deadline: deadline, isLeaderAlive: false)
            return []
        case .killed:
            return closeOutput(then: .vanishing(deadline: nil))
        case .starting, .lingering, .terminated, .clearing, .vanishing, .ended:
            return []
        }
    }

    private mutating func outputClosed() -> [ProcessEndingAction] {
        isOutputClosed = true
        switch state {
        case .lingering:
            return finish()
        case .terminated(let pid, let deadline, isLeaderAlive: false):
            return closeOutput(then: .clearing(pid, deadline: deadline))
        case .starting, .running, .terminated, .killed, .clearing, .vanishing, .ended:
            return []
        }
    }

    /// A reader may hold the output only while nobody wants the process to end.
    private mutating func held(_ isHeld: Bool) -> [ProcessEndingAction] {
        switch state {
        case .running, .lingering:
            guard isHeld != self.isHeld else { return [] }
            self.isHeld = isHeld
            return (isHeld ? [] : restartGrace()) + [.hold(isHeld)]
        case .starting, .terminated, .killed, .clearing, .vanishing, .ended:
            return []
        }
    }

    /// A repeated request can only shorten the time.
    private mutating func endRequested(_ grace: Duration, _ now: Duration) -> [ProcessEndingAction] {
        switch state {
        case .starting(let earlier):
            state = .starting(grace: min(grace, earlier ?? grace))
            return []
        case .running(let pid), .lingering(let pid, _):
            let isLeaderAlive = if case .running = state { true } else { false }
            guard grace > .zero else { return killSession(pid, isLeaderAlive: isLeaderAlive) + release() }
            return [.note("SIGTERM to process \(pid) and its session, which have \(grace.rxText) to end")]
                + terminate(pid, grace: grace, now, isLeaderAlive: isLeaderAlive)
        case .terminated(let pid, let deadline, let isLeaderAlive):
            guard now + grace < deadline else { return [] }
            state = .terminated(pid, deadline: now + grace, isLeaderAlive: isLeaderAlive)
            return [.startTimer(grace)]
        case .killed, .clearing, .vanishing, .ended:
            return []
        }
    }

    private mutating func timerFired(_ now: Duration) -> [ProcessEndingAction] {
        switch state {
        case .lingering(let pid, _):
            guard isHeld else { return [scan()] }
            state = .lingering(pid, isGraceOver: true)
            return []
        case .terminated(let pid, _, let isLeaderAlive):
            return killSession(pid, isLeaderAlive: isLeaderAlive)
        case .killed:
            return leaveBehind()
        case .clearing, .vanishing:
            return [scan()]
        case .starting, .running, .ended:
            return []
        }
    }

    private mutating func scanned(_ scan: SessionScan, _ now: Duration) -> [ProcessEndingAction] {
        pendingScans -= 1
        guard pendingScans == 0 else { return [] }
        switch scan {
        case .empty: return scanned(isEmpty: true, now)
        case .alive: return scanned(isEmpty: false, now)
        case .unknown(let error):
            guard isCertain else { return scanned(isEmpty: false, now) }
            isCertain = false
            return [.note("\(error); assuming that processes of the session are alive")] + scanned(isEmpty: false, now)
        }
    }

    private mutating func scanned(isEmpty: Bool, _ now: Duration) -> [ProcessEndingAction] {
        switch state {
        case .lingering(let pid, _):
            guard !isEmpty else {
                let text =
                    "the process has ended; closing its output, which a process outside its session holds open"
                return [.note(text)] + finish()
            }
            let text = """
                the process has ended, but others of its session hold its output open after \(grace.rxText): sending \
                SIGTERM
                """
            return [.note(text)] + terminate(pid, grace: min(grace, Self.lastChance), now, isLeaderAlive: false)
        case .clearing(let pid, let deadline):
            if isEmpty { return end() }
            guard now >= deadline else { return [pause(until: deadline, now)] }
            state = .vanishing(deadline: nil)
            nextPause = Self.scanInterval.lowerBound
            return [.note("SIGKILL to what is left of the session of process \(pid)"), .signal(SIGKILL), scan()]
        case .vanishing(let known):
            // Killed processes need a moment to disappear. A slower one is either already reported as left behind or
            // not worth waiting for.
            let deadline = known ?? now + Self.lastChance
            if isEmpty || now >= deadline { return end() }
            state = .vanishing(deadline: deadline)
            return [pause(until: deadline, now)]
        case .starting, .running, .terminated, .killed, .ended:
            return []
        }
    }

    // MARK: Steps

    /// A reader continues: members that hold the output have the grace from now on if it was over before.
    private mutating func restartGrace() -> [ProcessEndingAction] {
        guard case .lingering(let pid, isGraceOver: true) = state else { return [] }
        state = .lingering(pid, isGraceOver: false)
        return [.startTimer(grace)]
    }

    private mutating func terminate(
        _ pid: pid_t, grace: Duration, _ now: Duration, isLeaderAlive: Bool
    ) -> [ProcessEndingAction] {
        state = .terminated(pid, deadline: now + grace, isLeaderAlive: isLeaderAlive)
        return [.signal(SIGTERM), .startTimer(grace)] + release()
    }

    private mutating func killSession(_ pid: pid_t, isLeaderAlive: Bool) -> [ProcessEndingAction] {
        guard isLeaderAlive else {
            let text = "SIGKILL to what is left of the session of process \(pid), and its output is closed"
            return [.note(text), .signal(SIGKILL)] + closeOutput(then: .vanishing(deadline: nil))
        }
        state = .killed(pid)
        return [
            .note("SIGKILL to process \(pid) and its session"), .signal(SIGKILL), .startTimer(Self.killTime),
        ]
    }

    private mutating func leaveBehind() -> [ProcessEndingAction] {
        state = .vanishing(deadline: nil)
        return [.leaveBehind, scan()]
    }

    /// The last of the actions, because the output may turn out to be faulty or unreadable, which is the next event.
    private mutating func release() -> [ProcessEndingAction] {
        guard isHeld else { return [] }
        isHeld = false
        return [.hold(false)]
    }

    private mutating func closeOutput(then next: State) -> [ProcessEndingAction] {
        state = next
        return [.stopTimer, .closeOutput, scan()]
    }

    private mutating func scan() -> ProcessEndingAction {
        pendingScans += 1
        return .scan
    }

    private mutating func pause(until deadline: Duration, _ now: Duration) -> ProcessEndingAction {
        let pause = min(nextPause, deadline - now)
        nextPause = min(nextPause * 2, Self.scanInterval.upperBound)
        return .startTimer(pause)
    }

    /// A normal end: what is left of the session lives on.
    private mutating func finish() -> [ProcessEndingAction] {
        [.stopTimer, .closeOutput] + end()
    }

    private mutating func end() -> [ProcessEndingAction] {
        state = .ended
        return [.reap]
    }
}
