/// The errno of a worker that could not be started.
public struct WorkerStartError: Error, Sendable {
    /// The errno.
    public let code: Int32
}

/// The reason for the end of a worker.
public enum WorkerEnd: Error, Sendable, Hashable {
    /// It had grown too large and exited before the first unanswered request.
    case renewed
    /// It exceeded `JqLimits.processorTime`.
    case time
    /// It exceeded `JqLimits.memory`.
    case memory
    /// jq aborted because of a fault of its own.
    case aborted(WorkerStage)
    /// This signal ended it.
    case signal(Int32)
    /// It exited with a status that no worker uses, so it never ran as one.
    case status(Int32)
    /// It sent a malformed reply.
    case malformed
}
