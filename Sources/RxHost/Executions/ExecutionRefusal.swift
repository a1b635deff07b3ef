/// Why an input was not executed.
public enum ExecutionRefusal: Error, Sendable {
    /// The input is not valid.
    case input([InputFault])
    /// The action takes no input.
    case notEnabled(Enabled)
    /// The queue is full: `limit` inputs wait.
    case queueFull(limit: Int)
    /// `limit` groups of the action have executions, and the input belongs to none of them.
    case tooManyGroups(limit: Int)
    /// The key was used before with another input.
    case keyReused
    /// `limit` keys are remembered, and none has expired.
    case tooManyKeys(limit: Int)
    /// `limit` keys of this user are remembered, and none has expired.
    case tooManyKeysOfUser(limit: Int)
    /// `limit` executions wait for their time.
    case tooManyScheduled(limit: Int)
    /// `limit` executions of this user wait for their time.
    case tooManyScheduledOfUser(limit: Int)
    /// What is kept for this user, with its input, would be more than half of `limit` bytes.
    case tooManyBytesOfUser(limit: Int)
    /// It would wait for the ends of more than `limit` executions.
    case tooManyAwaited(limit: Int)
    /// The host has no clock to start executions by.
    case cannotSchedule
    /// The host is stopping.
    case stopping
}
