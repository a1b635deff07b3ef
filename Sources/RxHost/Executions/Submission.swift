public import RxStore
internal import RxRecords
internal import RxAction

/// What became of a request for an execution.
public enum Submission: Sendable {
    /// The work was a function of its input and has ended; an observer was not needed.
    case done(BriefExecution)
    /// The request started, queued, or joined an execution.
    case accepted(AcceptedExecution)
    /// Nothing is executed.
    case refused(ExecutionRefusal)
}

/// A request that started, queued, or joined an execution.
public struct AcceptedExecution: Sendable {
    /// How a request was accepted.
    public enum Disposition: String, Sendable {
        /// The execution has started.
        case started
        /// The execution waits for its turn.
        case queued
        /// The execution was made for an earlier request, perhaps with the same key.
        case joined
    }

    /// The execution that carries out the request.
    public let execution: HostedExecution
    /// How the request was accepted.
    public let disposition: Disposition
    /// The past of the execution, for a request that joined it.
    public let attachment: Attachment?
    let keys: ExecutionKeys
    /// The observer of the request.
    let observer: ExecutionObserver?
    /// Not nil if the acceptance has to be waited for.
    var durability: Durability?
    var isWatched = false

    /// Whether the acceptance can be reported now.
    public var isKept: Bool { durability == nil }

    /// Calls `body` once, on any thread, when the acceptance can be reported: before this returns, or when a durable
    /// input is on the disk. A watcher receives what has happened since. If the input could not be stored, the
    /// execution is canceled.
    public func whenKept(_ body: @escaping @Sendable (Result<Attachment?, StoreError>) -> Void) {
        guard let durability else { return body(.success(attachment)) }
        durability.whenAccepted { [execution, keys, isWatched] error in
            defer { execution.releaseRecording() }
            if let error {
                // The same key starts a new execution.
                if let key = execution.key { keys.release(key, of: execution) }
                execution.cancel(CancellationRequest(by: nil))
                body(.failure(error))
            } else {
                body(.success(isWatched ? execution.attachWatcher() : nil))
            }
        }
    }

    /// For a requester that needs no report: lets a durable execution go on once its input is on the disk.
    public func goOnUnreported() {
        if !isKept { whenKept { _ in } }
    }

    /// Removes the observer of the request.
    public func stopObserving() {
        if let observer { execution.remove(observer) }
    }
}
