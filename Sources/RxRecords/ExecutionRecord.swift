public import RxAction
public import RxJSON

/// Where an execution is in its life. All but the first two are final.
public enum ExecutionState: String, Sendable, CaseIterable {
    case queued, executing, completed, failed, cancelled, timedOut, interrupted

    public var isFinal: Bool {
        switch self {
        case .queued, .executing: false
        case .completed, .failed, .cancelled, .timedOut, .interrupted: true
        }
    }
}

/// Why an execution did not complete.
public enum ExecutionError: Error, Sendable, CustomStringConvertible {
    case failed(WorkFailure)
    case timedOut(limit: Duration)
    /// `by` is nil when the last requester went away.
    case cancelled(by: Origin?)
    /// A later input took its place (`Overlap.latest`).
    case superseded(by: ExecutionID)
    case stopped
    /// The daemon stopped while a durable input waited: it starts when a daemon is back, and nothing of this end is kept.
    case postponed
    /// The daemon was gone before the work had ended.
    case interrupted

    public var description: String {
        switch self {
        case .failed(let failure): failure.message
        case .timedOut(let limit): "longer than \(limit)"
        case .cancelled(by: nil): "its last requester went away"
        case .cancelled(.peer(let uid, _, let pid)): "by uid \(uid), pid \(pid)"
        case .cancelled(.trigger(let name)): "by the trigger \(name)"
        case .cancelled(.host): "by the host"
        case .superseded(let id): "superseded by \(id)"
        case .stopped: "the daemon stops"
        case .postponed: "the daemon stops; the input is kept and starts when it is back"
        case .interrupted: "the daemon was gone before the work had ended"
        }
    }

    package var state: ExecutionState {
        switch self {
        case .failed: .failed
        case .timedOut: .timedOut
        case .cancelled, .superseded, .stopped, .postponed: .cancelled
        case .interrupted: .interrupted
        }
    }

    /// The same error in at most about `bytes`: of a larger failure the start of its message, and no facts.
    package func shortened(to bytes: Int) -> ExecutionError {
        switch self {
        case .failed(let failure):
            guard failure.message.utf8.count + RawJSON(.object(failure.facts)).utf8.count > bytes else { return self }
            let message = String(decoding: failure.message.utf8.prefix(bytes / 2), as: UTF8.self)
            return .failed(WorkFailure(message: message, facts: ["truncated": true]))
        case .timedOut, .cancelled, .superseded, .stopped, .postponed, .interrupted:
            return self
        }
    }
}

/// What is known of an execution at one moment. Times are milliseconds since 1970.
public struct ExecutionRecord: Sendable {
    /// A larger input is dropped when its execution ends, so that the records in memory and in the history stay small.
    public static let inputBytesKept = 4096
    /// A larger error is shortened when its execution ends, for the same reason.
    public static let errorBytesKept = 16_384

    public let id: ExecutionID
    public let action: String
    public let by: Origin
    /// In the place of what the schema marks `writeOnly` stands "[redacted]". Nil once the execution has ended and its input
    /// was too large to keep.
    public package(set) var input: RawJSON?
    public package(set) var state: ExecutionState
    public package(set) var queuedAt: Int64
    public package(set) var startedAt: Int64?
    public package(set) var endedAt: Int64?
    /// The number of elements so far.
    public package(set) var elements: Int
    public package(set) var error: ExecutionError?

    package init(
        id: ExecutionID, action: String, by: Origin, input: RawJSON? = nil, state: ExecutionState, queuedAt: Int64,
        startedAt: Int64? = nil, endedAt: Int64? = nil, elements: Int, error: ExecutionError? = nil
    ) {
        self.id = id
        self.action = action
        self.by = by
        self.input = input
        self.state = state
        self.queuedAt = queuedAt
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.elements = elements
        self.error = error
    }
}
