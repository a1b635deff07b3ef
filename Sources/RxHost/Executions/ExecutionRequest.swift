public import RxStore
public import RxRecords
public import RxJSON

/// One request for an execution.
public struct ExecutionRequest: Sendable {
    /// The input, not validated yet.
    public var input: RawJSON
    /// Where the request comes from.
    public var by: Origin
    /// The longest time that the work may take; the shorter of this and the action's own holds. Ignored if the request
    /// joins an execution.
    public var timeout: Duration?
    /// The same key within its lifetime refers to the same execution: a second request joins it, also after its end.
    public var key: String?
    /// A token with which the requester can withdraw; nil leaves the execution running whatever becomes of it.
    public var requester: UInt64?
    /// Whether the execution's events are kept for `EventLog.drain` even if no reader watches the action.
    public var isWatched: Bool
    /// Called with the execution's elements and its end, outside of any lock, on the work's thread. If the request
    /// joins an execution, it is called with the past first.
    public var observer: (@Sendable (HostedExecution.Event) -> Void)?

    /// A request without a key whose requester never withdraws, unless given.
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

/// The outcome of a request that was not refused.
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
        durability.whenAccepted { [execution, isWatched] error in
            defer { execution.releaseRecording() }
            if let error {
                // The same key starts a new execution.
                if let key = execution.key { execution.action.services.keys.release(key, of: execution) }
                execution.cancel(CancellationRequest(by: nil))
                body(.failure(error))
            } else {
                body(.success(isWatched ? execution.attachWatcher() : nil))
            }
        }
    }

    /// Removes the observer of the request.
    public func stopObserving() {
        if let observer { execution.remove(observer) }
    }
}

/// Why an input was not executed.
public enum ExecutionRefusal: Error, Sendable {
    /// The input is not valid.
    case input([InputFault])
    /// The action takes no input.
    case notEnabled(Enabled)
    /// So many inputs are queued already.
    case queueFull(limit: Int)
    /// The key was given with another input before.
    case keyReused
    /// So many keys are remembered, and none has expired.
    case tooManyKeys(limit: Int)
    /// The host is stopping.
    case stopping
}
