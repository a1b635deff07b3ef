internal import Glibc

/// The processes of one execution: the session its process leads, and within it the group it leads.
///
/// A descendant leaves the group by `setpgid`, as `timeout` and shells with job control do for reasons of their own, but
/// the session only by `setsid`, which says that it is to outlive the work. Such a one is not ended: a service manager
/// that wants it gone has its control group.
///
/// To be used while the leader's number cannot become somebody else's.
struct ProcessSession: Sendable {
    let leader: pid_t

    /// How often the session is looked through for groups that were begun while others were being killed.
    private static let killRounds = 3

    /// Those that live. Reads all of /proc, which takes milliseconds: not for the loop.
    func members() -> [ProcessTable.Entry] {
        ProcessTable.all().filter { $0.session == leader && !$0.isZombie }
    }

    /// Signals the leader's group, all at once, so that none can start another in between. SIGTERM also wakes those that
    /// are stopped, which could not hear it.
    func signalGroup(_ signal: Int32) {
        _ = kill(-leader, signal)
        if signal == SIGTERM { _ = kill(-leader, SIGCONT) }
    }

    /// Signals what has groups of its own. Looks through /proc.
    func signalOthers(_ signal: Int32) {
        var done: Set<pid_t> = [leader]
        // What is killed starts nothing more, what is terminated may: once is enough for that, for its end is seen to later.
        for _ in 0..<(signal == SIGKILL ? Self.killRounds : 1) {
            let groups = Set(members().map(\.group)).subtracting(done)
            if groups.isEmpty { return }
            for group in groups { ProcessSession(leader: group).signalGroup(signal) }
            done.formUnion(groups)
        }
    }
}
