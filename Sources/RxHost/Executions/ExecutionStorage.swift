internal import RxStore
internal import RxRecords
internal import RxJSON

/// The rows of one execution in the store: its acceptance, its start, and its end.
// Unchecked: the event log's lock guards `end`; the rest is constant.
final class ExecutionStorage: @unchecked Sendable {
    private enum End {
        /// Passed to the store, before the end is published.
        case passed
        case failed(StoreError)
    }

    private let store: ExecutionStore
    private let durability: Durability?
    private let keepsHistory: Bool
    private let timeout: Duration?
    private let key: ExecutionKey?
    /// Whether an earlier host stored the acceptance.
    private let isResumed: Bool
    private var end: End?

    /// Nil for an execution that is not stored.
    init?(
        _ store: ExecutionStore?, _ definition: ActionDefinition, _ durability: Durability?, timeout: Duration?,
        key: ExecutionKey?, isResumed: Bool
    ) {
        guard let store, durability != nil || definition.keepsHistory else { return nil }
        self.store = store
        self.durability = durability
        self.timeout = timeout
        self.key = key
        self.isResumed = isResumed
        keepsHistory = definition.keepsHistory
    }

    /// The execution waits for its turn.
    func queued(_ record: ExecutionRecord, _ input: RawJSON) {
        guard !isResumed else { return }
        store.accepted(
            record, durableInput: durability == nil ? nil : input, timeout: timeout, key: key,
            completion: durability?.accepted)
    }

    /// The execution starts, after it was queued if `waited`.
    func started(_ record: ExecutionRecord, waited: Bool, at time: Int64) {
        guard waited || isResumed else {
            // It executes already: if the host crashes, the execution is interrupted, and its input is not needed
            // again. The row is on the disk all the same before the acceptance is reported.
            return store.accepted(
                record, durableInput: durability == nil ? nil : .null, timeout: timeout, key: key,
                completion: durability?.acceptedAndStarted)
        }
        store.started(record.id, at: time, isDurable: durability != nil, completion: durability?.started)
    }

    /// Stores the end, unless `storeEndFirst` did, or the next host starts the execution.
    ///
    /// - Parameter isPassed: `isEndPassed`.
    func ended(_ record: ExecutionRecord, isPassed: Bool) {
        if !isPassed, !record.isPostponed { store.ended(record, isKept: keepsHistory) }
    }

    /// Whether `mustStoreFirst` returned true. With the log's lock held.
    var isEndPassed: Bool { end != nil }

    /// Why the end is not in the store although it has to be. With the log's lock held.
    var endFailure: StoreError? {
        if case .failed(let error)? = end { error } else { nil }
    }

    /// Whether the end of `record` has to be stored before it is published: that of a durable input which is withdrawn
    /// while it is queued. Otherwise a later host could start what a client knows to be withdrawn. True once. With the
    /// log's lock held.
    func mustStoreFirst(_ error: ExecutionError?, of record: ExecutionRecord) -> Bool {
        guard durability != nil, record.startedAt == nil, end == nil else { return false }
        if case .postponed? = error { return false }
        end = .passed
        return true
    }

    /// Calls `completion`, on any thread, once the store has the end, or with the reason why it cannot have it.
    func storeEndFirst(_ record: ExecutionRecord, completion: @escaping @Sendable (StoreError?) -> Void) {
        store.ended(record, isKept: keepsHistory, completion: completion)
    }

    /// The store cannot have the end. With the log's lock held.
    func endFailed(_ failure: StoreError) { end = .failed(failure) }
}
