internal import RxRecords
internal import RxAction
internal import RxJSON

/// One change of the stored executions, with its completion.
struct Write: QueuedWrite {
    enum Change: Sendable {
        case accepted(Acceptance)
        case started(ExecutionID, at: Int64, isDurable: Bool)
        case ended(ExecutionRecord, isKept: Bool, isKeyed: Bool)
        /// The record of an input that never starts goes into the history; its row in `pending` stays until its event
        /// comes, so that a start after a crash appends that.
        case withdrawn(ExecutionRecord, isKeyed: Bool)
        case keyed(ExecutionKey, ExecutionRecord, isDurable: Bool)
        case settled(ExecutionRecord)
        case forgotten([ExecutionKey.Identity], action: String)
        case switched(action: String, ManualSwitch?)
        case logged(LoggedEvents)
        case output(ExecutionID, StorableOutput)
        case reserved(through: UInt64)
        case stream([StreamRow], isDurable: Bool)
        case named([LoggedName])
    }

    struct LoggedEvents: Sendable {
        let events: [LoggedEvent]
        /// Events with these numbers, which came before these, could not be written; nil if none.
        let lost: ClosedRange<UInt64>?
    }

    struct Acceptance: Sendable {
        let record: ExecutionRecord
        let durableInput: RawJSON?
        let timeout: Duration?
        let key: ExecutionKey?
        /// The group of a durable input, if it has one.
        let group: String?
        /// What a durable input waits for, if anything.
        let after: AwaitedEnds?
        /// Whether a later daemon is to know that it was in flight; if not, only its key is stored.
        var isListed: Bool
        /// Values of the stream that requested the execution: the claim of its slot, and the firing.
        let rows: [StreamRow]

        /// The execution has ended before it was stored.
        var withoutExecution: Acceptance {
            var acceptance = self
            acceptance.isListed = false
            return acceptance
        }
    }

    let change: Change
    let completion: (@Sendable (StoreError?) -> Void)?
    let bytes: Int
    /// The course of a write that is tried again until the file has it; nil for another one.
    private let retry: WriteRetry?

    init(_ change: Change, retry: WriteRetry? = nil, _ completion: (@Sendable (StoreError?) -> Void)?) {
        self.init(change, retry, completion, bytes: Self.overhead + change.payload)
    }

    private init(
        _ change: Change, _ retry: WriteRetry?, _ completion: (@Sendable (StoreError?) -> Void)?, bytes: Int
    ) {
        self.change = change
        self.retry = retry
        self.completion = completion
        self.bytes = bytes
    }

    var isUrgent: Bool { true }

    /// Also the values of streams whose firings are claimed: a claim that is written without the position before it
    /// would let a later daemon fire again.
    var isPatient: Bool {
        if case .stream(_, isDurable: true) = change { return true }
        return retry != nil
    }

    /// Also without room: refused, it would fail an execution whose acceptance was promised, or use up its slot.
    var isOwed: Bool { retry != nil }

    func hold() { retry?.hold() }

    func resumed() -> Write? {
        switch (retry?.resume(), change) {
        case (nil, _): self
        case (.claim?, .accepted(let acceptance)):
            Write(.accepted(acceptance.withoutExecution), retry, completion, bytes: bytes)
        case (.nothing?, _), (.claim?, _): nil
        }
    }

    func end(_ failure: StoreError?) { completion?(failure) }

    /// The value itself and its small parts.
    private static let overhead = 512

    /// Whether it has to be on the disk before its completion is called. Other changes survive only a crash of the
    /// daemon.
    var isDurable: Bool {
        switch change {
        case .accepted(let acceptance): acceptance.durableInput != nil
        case .started(_, at: _, let isDurable): isDurable
        // The end of a durable input that is withdrawn while queued: it must not start again.
        case .ended(let record, isKept: _, isKeyed: _): record.startedAt == nil
        case .withdrawn: true
        case .keyed(_, _, let isDurable): isDurable
        case .settled, .forgotten: false
        case .switched: true
        case .logged, .output, .named: false
        // A number that was used must not be used again after a power cut.
        case .reserved: true
        case .stream(_, let isDurable): isDurable
        }
    }

    /// The executions whose records this change moves from those in flight into the history.
    var ends: [ExecutionID] {
        if case .withdrawn = change { return [] }
        return unstoredEnds.map(\.id)
    }

    /// The ends that are not in the file if the change cannot be written.
    var unstoredEnds: [UnstoredEnd] {
        switch change {
        case .withdrawn(let record, let isKeyed):
            [UnstoredEnd(id: record.id, record: record, isKept: true, isKeyed: isKeyed, bytes: bytes)]
        case .ended(let record, let isKept, let isKeyed):
            [UnstoredEnd(id: record.id, record: record, isKept: isKept, isKeyed: isKeyed, bytes: bytes)]
        case .logged(let logged):
            logged.events.compactMap { event in
                guard case .ended(let record, let isKeyed, _) = event.content else { return nil }
                return UnstoredEnd(
                    id: record.id, record: record, isKept: true, isKeyed: isKeyed, bytes: Self.overhead + event.bytes)
            }
        case .accepted, .started, .keyed, .settled, .forgotten, .switched, .output, .reserved, .stream, .named: []
        }
    }
}

extension Write.Change {
    fileprivate var payload: Int {
        switch self {
        case .accepted(let acceptance):
            // The two are mostly one text.
            max(acceptance.record.input?.utf8.count ?? 0, acceptance.durableInput?.utf8.count ?? 0)
                + (acceptance.group?.utf8.count ?? 0) + 40 * (acceptance.after?.executions.count ?? 0)
                + acceptance.rows.reduce(0) { $0 + $1.payload }
        case .started: 0
        case .keyed(_, let record, isDurable: _), .settled(let record): record.error?.payload ?? 0
        case .ended(let record, isKept: _, isKeyed: _), .withdrawn(let record, isKeyed: _):
            (record.input?.utf8.count ?? 0) + (record.error?.payload ?? 0)
        case .forgotten(let keys, action: _): keys.reduce(0) { $0 + 32 + $1.text.utf8.count }
        case .switched(_, let manual): manual?.reason?.utf8.count ?? 0
        case .logged(let logged): logged.events.reduce(0) { $0 + $1.bytes }
        case .output(_, let output): output.bytes
        case .reserved: 0
        case .stream(let rows, _): rows.reduce(0) { $0 + $1.payload }
        case .named(let names): names.reduce(0) { $0 + $1.bytes }
        }
    }
}

extension StreamRow {
    fileprivate var payload: Int { 64 + name.utf8.count + (value?.utf8.count ?? 0) }
}

extension ExecutionError {
    fileprivate var payload: Int {
        switch self {
        case .failed(let failure): failure.message.utf8.count + JSONValue.object(failure.facts).payload
        case .timedOut, .cancelled, .superseded, .stopped, .postponed, .interrupted: 0
        }
    }
}

extension JSONValue {
    fileprivate var payload: Int {
        switch self {
        case .null, .bool: 16
        case .number(let number): 16 + number.text.utf8.count
        case .string(let text): 16 + text.utf8.count
        case .array(let elements): elements.reduce(16) { $0 + $1.payload }
        case .object(let members): members.reduce(16) { $0 + 16 + $1.key.utf8.count + $1.value.payload }
        }
    }
}
