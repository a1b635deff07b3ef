internal import RxStore
internal import RxRecords
internal import RxJSON

/// The rows of one execution in the store: its acceptance with its key, its start, and its end.
///
/// No row has a long input, so none is handed on with a record: the store would hold it until it has written the row.
// Unchecked: the event log's lock guards `end`; the rest is constant.
final class ExecutionStorage: @unchecked Sendable {
    private enum End {
        /// Passed to the store, before the end is published.
        case passed
        case failed(StoreError)
    }

    private let store: ExecutionStore
    private let durability: Durability?
    /// Whether its events and its record are kept.
    let keepsHistory: Bool
    private let timeout: Duration?
    private let key: ExecutionKey?
    private let group: String?
    private let claim: (@Sendable (ExecutionRecord) -> [StreamRow])?
    /// Whether an earlier host stored the acceptance.
    private let isResumed: Bool
    private var end: End?

    /// Nil for an execution of which nothing is stored.
    init?(
        _ store: ExecutionStore?, _ definition: ActionDefinition, _ durability: Durability?, timeout: Duration?,
        key: ExecutionKey?, group: String?, claim: (@Sendable (ExecutionRecord) -> [StreamRow])?, isResumed: Bool
    ) {
        guard let store, durability != nil || definition.keepsHistory else { return nil }
        self.store = store
        self.durability = durability
        self.timeout = timeout
        self.key = key
        self.group = group
        self.claim = claim
        self.isResumed = isResumed
        keepsHistory = definition.keepsHistory
    }

    /// What keeps the output of the execution; nil if it is not kept.
    ///
    /// - Parameter mask: the secrets that must not be kept.
    func retainedOutput(without mask: SecretMask?) -> RetainedOutput? {
        guard keepsHistory, store.retention.output > 0 else { return nil }
        return RetainedOutput(limit: store.retention.output, mask: mask)
    }

    private var isDurable: Bool { durability?.isDurable == true }

    /// Whether the store has more of it than the end of its keys.
    private var isListed: Bool { keepsHistory || isDurable }

    /// The execution waits for its turn.
    ///
    /// - Parameter after: the ends that it waits for, if any.
    func queued(_ record: ExecutionRecord, _ input: RawJSON, after: AwaitedEnds? = nil) {
        guard !isResumed else { return }
        store.accepted(
            record.withoutLongInput, durableInput: isDurable ? input : nil, timeout: timeout, key: key, group: group,
            after: isDurable ? after : nil,
            isListed: isListed, rows: claim?(record) ?? [], retry: claimRetry, completion: durability?.accepted)
    }

    /// A slot of a stream must not be used up while its execution cannot be stored. Any other requester learns of that
    /// instead.
    private var claimRetry: WriteRetry? { claim == nil ? nil : durability?.acceptanceRetry }

    /// The execution starts, after it was queued if `waited`.
    func started(_ record: ExecutionRecord, waited: Bool, at time: Int64) {
        guard waited || isResumed else {
            // It executes already: if the host crashes, the execution is interrupted, and its input is not needed
            // again. The row is on the disk all the same before the acceptance is reported.
            return store.accepted(
                record.withoutLongInput, durableInput: isDurable ? .null : nil, timeout: timeout, key: key,
                isListed: isListed,
                rows: claim?(record) ?? [], retry: claimRetry, completion: durability?.acceptedAndStarted)
        }
        guard isListed else { return }
        guard isDurable, let durability else { return store.started(record.id, at: time) }
        store.started(
            record.id, at: time, isDurable: true, retry: durability.startRetry, completion: durability.started)
    }

    /// Stores the end, unless its event or `storeEndFirst` did, or the next host starts the execution.
    ///
    /// - Parameters:
    ///   - isPassed: `isEndPassed`.
    ///   - isKeyed: whether keys refer to the execution.
    func ended(_ record: ExecutionRecord, isPassed: Bool, isKeyed: Bool) {
        guard !isPassed, !keepsHistory, !record.isPostponed else { return }
        if isDurable {
            store.ended(record, isKept: false, isKeyed: isKeyed)
        } else if isKeyed {
            store.settled(record)
        }
    }

    /// Whether `mustStoreFirst` returned true. With the log's lock held.
    var isEndPassed: Bool { end != nil }

    /// Why the end is not in the store although it has to be. With the log's lock held.
    var endFailure: StoreError? {
        if case .failed(let error)? = end { error } else { nil }
    }

    /// Whether the end of `record` has to be stored before it is published: that of a durable input which is withdrawn
    /// while it is queued, or while its start cannot be stored. Otherwise a later host could start what a client knows
    /// to be withdrawn. True once. With the log's lock held.
    func mustStoreFirst(_ error: ExecutionError?, of record: ExecutionRecord) -> Bool {
        guard isDurable, end == nil else { return false }
        if case .postponed? = error { return false }
        let isUnstored = durability?.withdraw() == true
        guard record.startedAt == nil || isUnstored else { return false }
        end = .passed
        return true
    }

    /// Calls `completion`, on any thread, once the store has the end, or with the reason why it cannot have it.
    ///
    /// - Parameter isKeyed: whether keys refer to the execution.
    func storeEndFirst(
        _ record: ExecutionRecord, isKeyed: Bool, completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        if keepsHistory {
            store.withdrawn(record.withoutLongInput, isKeyed: isKeyed, completion: completion)
        } else {
            var record = record.withoutLongInput
            // Its start may not be stored, and never will be.
            record.startedAt = nil
            store.ended(record, isKept: false, isKeyed: isKeyed, completion: completion)
        }
    }

    /// The store cannot have the end. With the log's lock held.
    func endFailed(_ failure: StoreError) { end = .failed(failure) }
}
