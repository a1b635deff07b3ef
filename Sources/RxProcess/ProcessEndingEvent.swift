internal import Glibc

/// What `ProcessEnding` reacts to.
enum ProcessEndingEvent: Equatable {
    /// The leader exists, and its end and its output are being watched.
    case started(pid_t)
    /// The leader exists but cannot be watched, so it must not continue. Takes the place of `started`.
    case watchFailed
    /// The leader has ended. It stays a zombie until `reap`.
    case leaderEnded
    /// Both output pipes have reached their end.
    case outputClosed
    /// A reader with backpressure holds the output back, or no longer does.
    case held(Bool)
    /// A cancellation, a timeout, or a fault requires the end of the session: SIGTERM, then SIGKILL after the grace.
    case endRequested(grace: Duration)
    /// The time of the last `startTimer` is over.
    case timerFired
    /// The result of a `scan`.
    case scanned(SessionScan)
}

/// What a scan finds out about a session.
enum SessionScan: Equatable {
    /// It has no live members.
    case empty
    case alive
    /// It may have live members: the table of processes cannot be read.
    case unknown(ProcessTableError)
}

/// What `ProcessEnding` wants done.
enum ProcessEndingAction: Equatable {
    /// Send the signal to the session.
    case signal(Int32)
    /// Report `timerFired` after this time. Replaces the running timer.
    case startTimer(Duration)
    case stopTimer
    /// Scan the session after all signals so far, and report `scanned`.
    case scan
    /// Write this text to the journal.
    case note(String)
    /// Stop reading standard output, or continue.
    case hold(Bool)
    /// Stop watching the process, read what the pipes still contain, and close them.
    case closeOutput
    /// Report the leader's end although it is alive, and close the output. The leader is still waited for and stays in
    /// the ledger until it ends.
    case leaveBehind
    /// Let the leader be reaped, so that its pid can be reused. Always the last action.
    case reap
}
