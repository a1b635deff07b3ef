internal import Glibc

/// The processes of one execution: the session that its process leads, including the group that it leads.
///
/// A descendant can leave the group with `setpgid`, as `timeout` and shells with job control do. It leaves the session
/// only with `setsid`, which declares that it outlives the work. Such a process is not ended; a service manager can end
/// it with the control group.
///
/// Valid only as long as the leader's pid cannot be reused.
struct ProcessSession: Sendable {
    let leader: pid_t

    /// How often the session is scanned for groups that are created while others are being killed.
    private static let killRounds = 3

    /// The live members. Reads all of /proc, which takes milliseconds; do not call it on the loop.
    func members() -> [ProcessTable.Entry] {
        ProcessTable.all().filter { $0.session == leader && !$0.isZombie }
    }

    /// Signals the leader's whole group at once, so that no member starts another in between. Follows SIGTERM with
    /// SIGCONT, because a stopped process cannot handle it.
    func signalGroup(_ signal: Int32) {
        _ = kill(-leader, signal)
        if signal == SIGTERM { _ = kill(-leader, SIGCONT) }
    }

    /// Signals the members outside the leader's group. Reads all of /proc.
    func signalOthers(_ signal: Int32) {
        var done: Set<pid_t> = [leader]
        // A killed process starts nothing more. A terminated one may, but one round suffices because its end is ensured
        // later.
        for _ in 0..<(signal == SIGKILL ? Self.killRounds : 1) {
            let groups = Set(members().map(\.group)).subtracting(done)
            if groups.isEmpty { return }
            for group in groups { ProcessSession(leader: group).signalGroup(signal) }
            done.formUnion(groups)
        }
    }
}
