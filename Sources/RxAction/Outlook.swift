/// What would become of an input that is accepted.
public enum Outlook: Sendable, Hashable {
    case starts
    /// Waits its turn, or for the one it takes the place of to be gone.
    case waits
    /// Joins this execution.
    case joins(ExecutionID)
}
