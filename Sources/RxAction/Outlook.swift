/// What an accepted input would do now.
public enum Outlook: Sendable, Hashable {
    /// It would start at once.
    case starts
    /// It would wait: in the queue, or for the execution it replaces to end.
    case waits
    /// It would join this execution.
    case joins(ExecutionID)
}
