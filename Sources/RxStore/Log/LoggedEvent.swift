public import RxAction
public import RxJSON
public import RxRecords

/// An event that is kept on the disk, so that readers receive it after a restart too.
public struct LoggedEvent: Sendable {
    /// What happened.
    public enum Content: Sendable {
        /// An execution waits for its turn.
        case queued(ExecutionRecord)
        /// Its work has started.
        case started(ExecutionRecord)
        /// An attempt of its work has failed, or another one has begun: the record has the attempts.
        case attempt(ExecutionRecord)
        /// It ended with this error, which its record has, too.
        case failed(ExecutionError, of: ExecutionRecord)
        /// It has ended. The record and the output go into the history in the same transaction.
        case ended(ExecutionRecord, isKeyed: Bool, output: StorableOutput? = nil)
        /// The work yielded an element. Elements are part of the output of their execution, not of its events.
        case element(RawJSON)
        /// A stream that persists emitted, failed, fired, or dropped elements.
        case ofStream(StreamKind, RawJSON)
        /// Something else, under a word that the host chooses, with what it needs to know.
        case other(kind: String, RawJSON)
    }

    /// A kind of event of a stream.
    public enum StreamKind: String, Sendable, CaseIterable {
        /// An element.
        case element
        /// The failure of a step or a program.
        case error
        /// The outcome of an element at an `on`.
        case firing
        /// Elements that were dropped within the stream.
        case lag
    }

    /// The word for a change of `enabled` by the manual switch, under `Content.other`.
    public static let switchedKind = "switched"

    /// The number of the event in the log.
    public let number: UInt64
    /// For the end of an execution, the number of the first event of the execution that this host has logged;
    /// otherwise its own number.
    public let begin: UInt64
    /// Milliseconds since 1970.
    public let time: Int64
    /// The name of the action, reactor, or stream.
    public let name: String
    /// The execution; nil for an event of none.
    public let execution: ExecutionID?
    /// The number of the event among those of its kind in its execution, from 1; 0 without an execution.
    public let ordinal: Int
    /// What happened.
    public let content: Content

    /// Sets the property of each name.
    public init(
        number: UInt64, begin: UInt64? = nil, time: Int64, name: String, execution: ExecutionID? = nil,
        ordinal: Int = 0, content: Content
    ) {
        self.number = number
        self.begin = begin ?? number
        self.time = time
        self.name = name
        self.execution = execution
        self.ordinal = ordinal
        self.content = content
    }

    /// Whether it is the end of an execution.
    package var isEnd: Bool { if case .ended = content { true } else { false } }

    /// The approximate memory that it uses until it is written, beside a record that others hold too.
    var bytes: Int {
        switch content {
        case .queued, .started, .failed: 192
        case .attempt(let record): 192 + (record.attempts?.stored.utf8.count ?? 0)
        case .ended(let record, _, let output): 512 + (record.input?.utf8.count ?? 0) + (output?.bytes ?? 0)
        case .element(let value), .ofStream(_, let value), .other(_, let value): 192 + value.utf8.count
        }
    }

    /// The column `kind`.
    var kind: String {
        switch content {
        case .queued: "queued"
        case .started: "started"
        case .attempt: "attempt"
        case .failed: "failed"
        case .ended: "ended"
        case .element: "element"
        case .ofStream(let kind, _): kind.rawValue
        case .other(let kind, _): kind
        }
    }
}

/// The log as it was when the store was opened.
public struct RecoveredLog: Sendable {
    /// Identifies the log: eight hexadecimal digits. Another one after some of the log was lost.
    public package(set) var epoch = ""
    /// The earlier epochs of this log, each with the number after which the next one began.
    public package(set) var earlier: [String: UInt64] = [:]
    /// New events have greater numbers than this one, which no event has.
    public package(set) var last: UInt64 = 0
    /// New events have at most this number, until more are reserved.
    public package(set) var reserved: UInt64 = 0
    /// The last events that are beyond the retention.
    public package(set) var marks = LogMarks()
    /// Where events are missing that could not be written, those of streams as well.
    public package(set) var holes = EventHoles()
    /// All events after this number are in `events`, oldest first, except manual switches.
    public package(set) var complete: UInt64 = 0
    /// The newest events, without manual switches.
    public package(set) var events: [LoggedEvent] = []
    /// The last manual switches of each action, at most `LogLimits.switchesKept`, oldest first.
    public package(set) var switches: [LoggedEvent] = []
    /// The names of all actions that executions in the history, or accepted inputs, are of.
    public package(set) var actions: Set<String> = []
    /// The events of streams.
    public package(set) var streams = RecoveredStreamEvents()
    /// Since when events of each name are kept.
    public package(set) var names: [LoggedName] = []
    /// A name that is not among these may have had events up to this one.
    public package(set) var unnamed: UInt64 = 0

    package init() {}

    /// The same log after another host has used the reserved numbers.
    var withoutEvents: RecoveredLog {
        var log = RecoveredLog()
        log.epoch = epoch
        log.earlier = earlier
        log.last = reserved
        log.reserved = reserved + LogLimits.numbersReserved
        log.complete = reserved
        log.marks = marks
        log.holes = holes
        log.streams.complete = reserved
        (log.names, log.unnamed) = (names, reserved)
        return log
    }
}

/// The events of streams as they were when the store was opened.
public struct RecoveredStreamEvents: Sendable {
    /// All events after this number are in `events`, oldest first.
    public package(set) var complete: UInt64 = 0
    /// The newest events.
    public package(set) var events: [LoggedEvent] = []
}
