internal import Glibc

/// Signals, and the table of processes.
protocol SessionSystem: Sendable {
    /// Sends the signal to each process of a group.
    func signal(group: pid_t, _ signal: Int32)
    /// Sends the signal to one process.
    func signal(process: pid_t, _ signal: Int32)
    /// All visible processes. Takes milliseconds.
    func all() -> [ProcessTable.Entry]
    /// One process; nil if it does not exist.
    func entry(_ pid: pid_t) -> ProcessTable.Entry?
    /// Whether the process started with `NAME=value` in its environment; false if that is not readable.
    func environment(of pid: pid_t, has variable: String) -> Bool
}

struct LinuxSessions: SessionSystem {
    func signal(group: pid_t, _ signal: Int32) { _ = kill(-group, signal) }
    func signal(process: pid_t, _ signal: Int32) { _ = kill(process, signal) }
    func all() -> [ProcessTable.Entry] { ProcessTable.all() }
    func entry(_ pid: pid_t) -> ProcessTable.Entry? { ProcessTable.entry(pid) }

    func environment(of pid: pid_t, has variable: String) -> Bool {
        ProcessTable.environment(of: pid, has: variable)
    }
}
