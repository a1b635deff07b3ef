internal import Glibc

/// Signals, and the table of processes.
protocol SessionSystem: Sendable {
    /// Sends the signal to each process of a group.
    func signal(group: pid_t, _ signal: Int32)
    /// Sends the signal to one process.
    func signal(process: pid_t, _ signal: Int32)
    /// All visible processes. Takes milliseconds.
    func all() throws(ProcessTableError) -> [ProcessTable.Entry]
    /// One process; nil if it does not exist.
    func entry(_ pid: pid_t) throws(ProcessTableError) -> ProcessTable.Entry?
    /// The `RX_EXECUTION` with which the process started; nil if it has none or belongs to another user.
    func execution(of pid: pid_t) throws(ProcessTableError) -> String?
}

struct LinuxSessions: SessionSystem {
    func signal(group: pid_t, _ signal: Int32) { _ = kill(-group, signal) }
    func signal(process: pid_t, _ signal: Int32) { _ = kill(process, signal) }
    func all() throws(ProcessTableError) -> [ProcessTable.Entry] { try ProcessTable.all() }
    func entry(_ pid: pid_t) throws(ProcessTableError) -> ProcessTable.Entry? { try ProcessTable.entry(pid) }

    func execution(of pid: pid_t) throws(ProcessTableError) -> String? {
        try ProcessTable.variable(ProcessEnvironment.executionVariable, of: pid)
    }
}
