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
        /// The execution waits for its time.
        case scheduled
        /// The execution was made for an earlier request, perhaps with the same key.
        case joined
    }

    /// The execution that carries out the request.
    public let execution: HostedExecution
    /// How the request was accepted.
    public let disposition: Disposition
    /// The past of the execution, for a watched request that joined it.
    public let attachment: Attachment?
    let keys: ExecutionKeys
    /// The observer of the request.
    let observer: ExecutionObserver?
    /// What completes when the acceptance is stored; nil if nobody need wait for that.
    var durability: Durability?
    /// The request's own key, if it joined the execution with it and the key is not stored yet.
    var unstoredKey: (key: ExecutionKey, stored: Durability)?
    /// The token with which the requester withdraws.
    var requester: UInt64?
    var isWatched = false

    /// Whether the acceptance can be reported now.
    public var isKept: Bool { durability == nil && unstoredKey == nil }

    /// Calls `body` once, on any thread, when the acceptance can be reported: before this returns, or when the store
    /// has the key of the request, and a durable input is on the disk. A watcher receives what has happened since. If
    /// the execution could not be stored, it is canceled; if only the key of a request that joined it could not, the
    /// request is withdrawn.
    public func whenKept(_ body: @escaping @Sendable (Result<Attachment?, StoreError>) -> Void) {
        guard !isKept else { return body(.success(attachment)) }
        whenStored { [self] failed, error in
            defer { execution.releaseRecording() }
            guard let error else { return body(.success(isWatched ? execution.attachWatcher() : nil)) }
            // The same key starts a new execution.
            if let key = unstoredKey?.key { keys.release(key, of: execution) }
            switch failed {
            case .execution:
                if let key = execution.key { keys.release(key, of: execution) }
                execution.cancel(CancellationRequest(by: nil))
            case .key:
                stopObserving()
                if let requester { execution.withdraw(requester) }
            }
            body(.failure(error))
        }
    }

    private enum Part {
        case execution, key
    }

    private func whenStored(_ body: @escaping @Sendable (Part, StoreError?) -> Void) {
        let key = unstoredKey?.stored
        let waitForKey: @Sendable () -> Void = {
            guard let key else { return body(.key, nil) }
            key.whenAccepted { body(.key, $0) }
        }
        guard let durability else { return waitForKey() }
        durability.whenAccepted { error in
            if let error { body(.execution, error) } else { waitForKey() }
        }
    }

    /// For a requester that needs no report: lets an execution go on once it is stored.
    public func goOnUnreported() {
        if !isKept { whenKept { _ in } }
    }

    /// Removes the observer of the request.
    public func stopObserving() {
        if let observer { execution.remove(observer) }
    }
}
