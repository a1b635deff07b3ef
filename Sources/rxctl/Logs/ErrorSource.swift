/// Where the stderr of an execution in flight comes from, as it comes. The journal has all of it, unless the daemon's
/// `log-level` leaves it out; the daemon keeps its start and its end. A line that both have comes from both at about
/// the same time, so the first lines of the daemon wait for the journal. No line is printed twice.
enum ErrorSource {
    /// It is not known yet whether the journal has any: the lines of the daemon until now.
    case undecided([String])
    case journal
    case daemon

    /// A line of the daemon.
    ///
    /// - Returns: what is to be printed.
    mutating func take(ofDaemon line: String) -> [String] {
        switch self {
        case .undecided(let held):
            self = .undecided(held + [line])
            return []
        case .journal: return []
        case .daemon: return [line]
        }
    }

    /// A line of the journal.
    ///
    /// - Returns: whether it is to be printed.
    mutating func takeOfJournal() -> Bool {
        switch self {
        case .undecided:
            self = .journal
            return true
        case .journal: return true
        case .daemon: return false
        }
    }

    /// The journal had time enough.
    ///
    /// - Returns: what is to be printed.
    mutating func decide() -> [String] {
        guard case .undecided(let held) = self else { return [] }
        self = .daemon
        return held
    }
}
