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
    /// The environment with which the process started, as far as it states its origin. Without values if the process
    /// belongs to another user.
    func origin(of pid: pid_t) throws(ProcessTableError) -> ProcessOrigin
    /// The session of this process.
    var own: pid_t { get }
}

/// Where a process or its ancestor comes from.
struct ProcessOrigin: Equatable {
    /// `RX_EXECUTION`.
    var execution: String?
    /// `RX_LEDGER`.
    var ledger: String?
}

struct LinuxSessions: SessionSystem {
    func signal(group: pid_t, _ signal: Int32) { _ = kill(-group, signal) }
    func signal(process: pid_t, _ signal: Int32) { _ = kill(process, signal) }
    func all() throws(ProcessTableError) -> [ProcessTable.Entry] { try ProcessTable.all() }
    func entry(_ pid: pid_t) throws(ProcessTableError) -> ProcessTable.Entry? { try ProcessTable.entry(pid) }

    var own: pid_t { getsid(0) }

    func origin(of pid: pid_t) throws(ProcessTableError) -> ProcessOrigin {
        let variables = [ProcessEnvironment.executionVariable, ProcessEnvironment.ledgerVariable]
        let values = try ProcessTable.values(of: variables, of: pid)
        return ProcessOrigin(execution: values[0], ledger: values[1])
    }
}
