internal import Glibc

/// Signals the session of one process and scans it. Scans take milliseconds, so they happen off the loop, each after
/// the signals and scans before it. The leader must not be reaped before they are done. Loop thread only.
final class SessionControl {
    private let session: ProcessSession
    private var last: Task<Void, Never>?

    init(leader: pid_t) {
        session = ProcessSession(leader: leader)
    }

    /// Signals the leader's group at once, and the rest of the session after a scan for it.
    func signal(_ signal: Int32) {
        session.signalGroup(signal)
        enqueue { $0.signalOthers(signal) }
    }

    /// Calls `report` on any thread with whether the session has no live members.
    func scan(_ report: @escaping @Sendable (_ isEmpty: Bool) -> Void) {
        enqueue { report($0.members().isEmpty) }
    }

    private func enqueue(_ work: @escaping @Sendable (ProcessSession) -> Void) {
        last = Task.detached { [last, session] in
            await last?.value
            work(session)
        }
    }
}
