/// The extent of one reactor's stored log.
struct KeptLog: Equatable {
    /// The newest revision.
    var newest: UInt64
    /// The revisions of the snapshots, in their order; never empty.
    var snapshots: [UInt64]
    /// The revision of the oldest step; nil if there are none.
    var oldestStep: UInt64?
    /// The number of revisions before the newest that the history keeps; nil until it is known.
    var history: Int?

    var oldestSnapshot: UInt64 { snapshots[0] }

    /// The next part of the log that can be removed.
    enum Surplus: Equatable {
        /// The oldest snapshot: the next one is old enough for the whole history.
        case snapshot
        /// Steps up to this revision, whose states cannot be built from a snapshot any more.
        case steps(through: UInt64)
    }

    var surplus: Surplus? {
        if let oldestStep, oldestStep <= oldestSnapshot { return .steps(through: oldestSnapshot) }
        guard let history, snapshots.count > 1, newest - snapshots[1] >= UInt64(max(history, 0)) else { return nil }
        return .snapshot
    }
}
