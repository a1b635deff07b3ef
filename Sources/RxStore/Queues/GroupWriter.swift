/// Something to be written.
protocol QueuedWrite: Sendable {
    /// What it takes to remember it until it is written, about.
    var bytes: Int { get }
    /// Whether somebody waits for it; else it waits a moment for more of its kind.
    var isUrgent: Bool { get }
    /// It is written, or will not be. Called once, with no lock held.
    func end(_ failure: StoreError?)
}

/// What a `WriteQueue` writes with.
protocol GroupWriter: AnyObject, SendableMetatype {
    associatedtype Item: QueuedWrite

    /// Writes `group` in one transaction.
    ///
    /// - Returns: for each write why it failed, if it did: one alone, or all of them.
    func write(_ group: ArraySlice<Item>, at time: Int64) -> [StoreError?]

    /// Removes what is too much, and gives space that it has left back to the file system: as much of either as may
    /// take a moment.
    ///
    /// - Returns: whether there is more.
    func trim(at time: Int64) throws(StoreError) -> Bool

    /// Moves the log to the file once it is long enough.
    func checkpointIfNeeded() throws(StoreError)
}
