/// Which of the slots are fired that came due while the daemon could not fire them.
public enum MissedPolicy: String, Hashable, Sendable, CaseIterable {
    /// None; they are counted.
    case none
    /// The newest one.
    case once
    /// All of them, one after the other, up to a limit; of more, the newest.
    case all
}
