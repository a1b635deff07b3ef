internal import Glibc

/// The processes of one execution: the session that its process leads, including the group that it leads.
///
/// A descendant can leave the group with `setpgid`, as `timeout` and shells with job control do. It leaves the session
/// only with `setsid`, which declares that it outlives the work. Such a process is not ended; a service manager can end
/// it with the control group.
///
/// Valid only as long as the leader's pid cannot be reused.
struct ProcessSession<Sessions: SessionSystem>: Sendable {
    let leader: pid_t
    private let sessions: Sessions

    init(leader: pid_t, in sessions: Sessions) {
        self.leader = leader
        self.sessions = sessions
    }

    /// The live members. Reads all of /proc, which takes milliseconds; do not call it on the loop.
    func members() throws(ProcessTableError) -> [ProcessTable.Entry] {
        try sessions.all().filter { $0.session == leader && !$0.isZombie }
    }

    /// Signals the leader's whole group at once, so that no member starts another in between. Follows SIGTERM with
    /// SIGCONT, because a stopped process cannot handle it.
    func signalGroup(_ signal: Int32) {
        self.signal(group: leader, signal)
    }

    /// Signals the members outside the leader's group. Reads all of /proc; if that fails, signals none.
    func signalOthers(_ signal: Int32) {
        var done: Set<pid_t> = [leader]
        // A killed process starts nothing more. A terminated one may, but one round suffices because its end is ensured
        // later.
        for _ in 0..<(signal == SIGKILL ? killRounds : 1) {
            guard let members = try? members() else { return }
            let groups = Set(members.map(\.group)).subtracting(done)
            if groups.isEmpty { return }
            for group in groups { self.signal(group: group, signal) }
            done.formUnion(groups)
        }
    }

    private func signal(group: pid_t, _ signal: Int32) {
        sessions.signal(group: group, signal)
        if signal == SIGTERM { sessions.signal(group: group, SIGCONT) }
    }
}

/// How often a session is scanned for groups that are created while others are being killed.
private let killRounds = 3
