public import RxAction
public import RxJSON

/// The state of an execution. All but the first two are final.
public enum ExecutionState: String, Sendable, CaseIterable {
    case queued, executing, completed, failed, cancelled, timedOut, interrupted

    /// Whether the execution has ended.
    public var isFinal: Bool {
        switch self {
        case .queued, .executing: false
        case .completed, .failed, .cancelled, .timedOut, .interrupted: true
        }
    }
}

/// Why an execution did not complete.
public enum ExecutionError: Error, Sendable, CustomStringConvertible {
    /// The work failed.
    case failed(WorkFailure)
    /// The work took longer than this limit.
    case timedOut(limit: Duration)
    /// Canceled by this origin; nil if its last requester went away.
    case cancelled(by: Origin?)
    /// A later input took its place (`Overlap.latest`).
    case superseded(by: ExecutionID)
    /// The daemon stopped.
    case stopped
    /// The daemon stopped while a durable input was queued: the next daemon starts it, and this end is not stored.
    case postponed
    /// The daemon crashed before the work ended.
    case interrupted

    /// The reason in a few words, for logs.
    public var description: String {
        switch self {
        case .failed(let failure): failure.message
        case .timedOut(let limit): "longer than \(limit)"
        case .cancelled(by: nil): "its last requester went away"
        case .cancelled(let by?): "by \(by)"
        case .superseded(let id): "superseded by \(id)"
        case .stopped: "the daemon stops"
        case .postponed: "the daemon stops; the input is kept and starts when it is back"
        case .interrupted: "the daemon ended before the work did"
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

    /// Approximate bytes of memory beside its own.
    package var cost: Int {
        switch self {
        case .failed(let failure): failure.message.utf8.count + JSONValue.object(failure.facts).cost
        case .timedOut, .cancelled, .superseded, .stopped, .postponed, .interrupted: 0
        }
    }

    /// The same error in approximately `bytes` of text at most, and four times as much memory. A larger failure keeps
    /// the start of its message, and no facts.
    package func shortened(to bytes: Int) -> ExecutionError {
        switch self {
        case .failed(let failure):
            let text = failure.message.utf8.count + RawJSON(.object(failure.facts)).utf8.count
            guard text > bytes || cost > 4 * bytes else { return self }
            let message = String(decoding: failure.message.utf8.prefix(bytes / 2), as: UTF8.self)
            return .failed(WorkFailure(message: message, facts: ["truncated": true]))
        case .timedOut, .cancelled, .superseded, .stopped, .postponed, .interrupted:
            return self
        }
    }
}

extension JSONValue {
    /// Approximate bytes of memory.
    fileprivate var cost: Int {
        let own = MemoryLayout<JSONValue>.stride
        return switch self {
        case .null, .bool, .number: own
        case .string(let text): own + text.utf8.count
        case .array(let values): values.reduce(own) { $0 + $1.cost }
        case .object(let object): object.reduce(own) { $0 + own + $1.key.utf8.count + $1.value.cost }
        }
    }
}

/// An execution at one moment. Times are milliseconds since 1970.
public struct ExecutionRecord: Sendable {
    /// A larger input is dropped when its execution ends, so that the records in memory and in the history stay small.
    public static let inputBytesKept = 4096
    /// A larger error is shortened when its execution ends, for the same reason.
    public static let errorBytesKept = 16_384

    /// Copies share their content until one is changed: each event of an execution has a copy, and so does each reader
    /// of the event.
    private var content: Content

    /// The identity of the execution: a UUIDv7.
    public var id: ExecutionID { content.id }
    /// The name of its action.
    public var action: String { content.action }
    /// What led to its first request.
    public var causes: Causes { content.causes }
    /// The input, with "[redacted]" in the place of values that the schema marks `writeOnly`. Nil once the execution
    /// has ended if the input is too large to keep.
    public package(set) var input: RawJSON? {
        get { content.input }
        set { own.input = newValue }
    }
    /// The state at this moment.
    public package(set) var state: ExecutionState {
        get { content.state }
        set { own.state = newValue }
    }
    /// When the request was accepted.
    public package(set) var queuedAt: Int64 {
        get { content.queuedAt }
        set { own.queuedAt = newValue }
    }
    /// The time for which the request has asked; nil if it was to start at once.
    public var dueAt: Int64? { content.dueAt }
    /// When the work started; nil if it has not.
    public package(set) var startedAt: Int64? {
        get { content.startedAt }
        set { own.startedAt = newValue }
    }
    /// When the execution ended; nil if it has not.
    public package(set) var endedAt: Int64? {
        get { content.endedAt }
        set { own.endedAt = newValue }
    }
    /// The number of elements so far.
    public package(set) var elements: Int {
        get { content.elements }
        set { own.elements = newValue }
    }
    /// Why the execution did not complete; nil if it did, or has not ended.
    public package(set) var error: ExecutionError? {
        get { content.error }
        set { own.error = newValue }
    }

    /// The attempts of its work; nil if it has not started, or is not tried again when it fails.
    public package(set) var attempts: Attempts? {
        get { content.attempts }
        set { own.attempts = newValue }
    }

    /// The content, which no other record shares.
    private var own: Content {
        mutating get {
            if !isKnownUniquelyReferenced(&content) { content = Content(content) }
            return content
        }
    }

    /// The requester: the nearest of the causes.
    public var by: Origin { causes.by }

    package init(
        id: ExecutionID, action: String, causes: Causes, input: RawJSON? = nil, state: ExecutionState, queuedAt: Int64,
        dueAt: Int64? = nil, startedAt: Int64? = nil, endedAt: Int64? = nil, elements: Int,
        error: ExecutionError? = nil
    ) {
        content = Content(
            id: id, action: action, causes: causes, state: state, queuedAt: queuedAt, dueAt: dueAt, elements: elements)
        content.input = input
        content.startedAt = startedAt
        content.endedAt = endedAt
        content.error = error
    }

    /// The record without an input that is too large to keep.
    package var withoutLongInput: ExecutionRecord {
        guard let input, input.utf8.count > Self.inputBytesKept else { return self }
        var record = self
        record.input = nil
        return record
    }

    /// The record for those who may not read it: how it ended, without the input, the causes before the requester, and
    /// the text of an error.
    package var withoutValues: ExecutionRecord {
        var record = ExecutionRecord(
            id: id, action: action, causes: Causes(by), state: state, queuedAt: queuedAt, dueAt: dueAt,
            startedAt: startedAt, endedAt: endedAt, elements: elements, error: error?.withoutValues)
        record.attempts = attempts?.withoutValues
        return record
    }
}

extension ExecutionRecord {
    // Unchecked: a record changes it only while no other one shares it, in accesses that call nothing.
    private final class Content: @unchecked Sendable {
        let id: ExecutionID
        let action: String
        let causes: Causes
        let dueAt: Int64?
        @exclusivity(unchecked) var input: RawJSON?
        @exclusivity(unchecked) var state: ExecutionState
        @exclusivity(unchecked) var queuedAt: Int64
        @exclusivity(unchecked) var startedAt: Int64?
        @exclusivity(unchecked) var endedAt: Int64?
        @exclusivity(unchecked) var elements: Int
        @exclusivity(unchecked) var error: ExecutionError?
        @exclusivity(unchecked) var attempts: Attempts?

        init(
            id: ExecutionID, action: String, causes: Causes, state: ExecutionState, queuedAt: Int64, dueAt: Int64?,
            elements: Int
        ) {
            self.id = id
            self.dueAt = dueAt
            self.action = action
            self.causes = causes
            self.state = state
            self.queuedAt = queuedAt
            self.elements = elements
        }

        convenience init(_ other: Content) {
            self.init(
                id: other.id, action: other.action, causes: other.causes, state: other.state, queuedAt: other.queuedAt,
                dueAt: other.dueAt, elements: other.elements)
            input = other.input
            startedAt = other.startedAt
            endedAt = other.endedAt
            error = other.error
            attempts = other.attempts
        }
    }
}
