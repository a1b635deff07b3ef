internal import RxAction

/// A change to be written.
protocol QueuedWrite: Sendable {
    /// The approximate memory that it uses until it is written.
    var bytes: Int { get }
    /// Whether a caller waits for it; otherwise it waits a moment for more of its kind.
    var isUrgent: Bool { get }
    /// What its user has pending; nil for a user that need not leave room for others.
    var share: WriteShare? { get }
    /// Whether it is tried again while the file cannot be written: what it promises was promised already. Those of a
    /// queue are written in the order of their calls.
    var isPatient: Bool { get }
    /// Whether it belongs to an execution in flight, which bounds how many there are. Such a write is never refused for
    /// want of room.
    var isOwed: Bool { get }
    /// A patient write could not be written, and waits for the next attempt.
    func hold()
    /// What the next attempt is to write of it; nil if nothing, since it was revoked. With the same `bytes`.
    func resumed() -> Self?
    /// Called once, with no lock held, when it is written, or with the reason why it never will be.
    func end(_ failure: StoreError?)
}

extension QueuedWrite {
    var share: WriteShare? { nil }
    var isPatient: Bool { false }
    var isOwed: Bool { false }
    func hold() {}
    func resumed() -> Self? { self }
}

/// Writes groups of changes for a `WriteQueue`.
protocol GroupWriter: AnyObject, SendableMetatype {
    associatedtype Item: QueuedWrite

    /// Writes `group` in one transaction.
    ///
    /// - Returns: for each write the error if it failed: one of them alone, or all of them.
    func write(_ group: ArraySlice<Item>, at time: Int64) -> [StoreError?]

    /// The ends of these executions were refused. What was added before them is written.
    func refused(_ ends: [ExecutionID])

    /// Removes rows beyond the retention and returns free pages to the file system, a portion of either that takes a
    /// moment.
    ///
    /// - Returns: whether there is more.
    func trim(at time: Int64) throws(StoreError) -> Bool

    /// Moves the log to the file once it is long enough.
    func checkpointIfNeeded() throws(StoreError)

    /// Leaves what the next start needs. Called once, after the last write. A failure costs the next start time, and
    /// nothing else.
    func finish()
}

extension GroupWriter {
    func refused(_ ends: [ExecutionID]) {}
    func finish() {}
}
