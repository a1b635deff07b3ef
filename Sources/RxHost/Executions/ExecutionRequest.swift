public import RxStore
public import RxRecords
public import RxJSON

/// One wish for an execution.
public struct ExecutionRequest: Sendable {
    public var input: RawJSON
    public var by: Origin
    /// Longest the work may take; the shorter of this and the action's own holds. Of one that joins it changes nothing.
    public var timeout: Duration?
    /// The same key within its lifetime means the same execution: who asks again joins it, also after its end.
    public var key: String?
    /// A token with which the requester can withdraw; nil leaves the execution running whatever becomes of it.
    public var requester: UInt64?
    /// Whether the execution's events are kept for the log's reader even if nobody watches the action.
    public var isWatched: Bool
    /// Hears of this execution's elements and end, outside of any lock, on the work's thread; of one that it joins, of
    /// what came before first.
    public var observer: (@Sendable (HostedExecution.Event) -> Void)?

    public init(
        input: RawJSON, by: Origin, timeout: Duration? = nil, key: String? = nil, requester: UInt64? = nil,
        isWatched: Bool = false, observer: (@Sendable (HostedExecution.Event) -> Void)? = nil
    ) {
        self.input = input
        self.by = by
        self.timeout = timeout
        self.key = key
        self.requester = requester
        self.isWatched = isWatched
        self.observer = observer
    }
}

/// What became of a wish that was not refused.
public struct AcceptedExecution: Sendable {
    public enum Disposition: String, Sendable {
        case started
        /// It waits its turn.
        case queued
        /// Somebody else's execution, or an earlier one of the same key.
        case joined
    }

    public let execution: HostedExecution
    public let disposition: Disposition
    /// For a watcher that joined: what came before it.
    public let attachment: Attachment?
    /// The request's.
    let observer: ExecutionObserver?
    /// Of a durable execution: its acceptance is to be waited for.
    var durability: Durability?
    var isWatched = false

    /// Whether there is nothing to wait for before the acceptance is told.
    public var isKept: Bool { durability == nil }

    /// Calls `body` once what the acceptance promises holds, on whatever thread: at once, or when a durable input is on the
    /// disk; for a watcher with what has happened since. If it could not be kept, the execution has been cancelled.
    public func whenKept(_ body: @escaping @Sendable (Result<Attachment?, StoreError>) -> Void) {
        guard let durability else { return body(.success(attachment)) }
        durability.whenAccepted { [execution, isWatched] error in
            defer { execution.releaseRecording() }
            if let error {
                // Who asks again asks anew.
                if let key = execution.key { execution.action.services.keys.release(key, of: execution) }
                execution.cancel(CancellationRequest(by: nil))
                body(.failure(error))
            } else {
                body(.success(isWatched ? execution.attachWatcher() : nil))
            }
        }
    }

    /// The request's observer hears nothing more.
    public func stopObserving() {
        if let observer { execution.remove(observer) }
    }
}

/// Why an input was not executed.
public enum ExecutionRefusal: Error, Sendable {
    case input([InputFault])
    case notEnabled(Enabled)
    /// So many wait already.
    case queueFull(limit: Int)
    /// The key was given with another input before.
    case keyReused
    /// So many keys are remembered, none of which may be forgotten yet.
    case tooManyKeys(limit: Int)
    case stopping
}
