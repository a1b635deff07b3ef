/// What there is of one reactor's log, in numbers.
struct KeptLog: Equatable {
    /// The newest revision.
    var newest: UInt64
    /// In their order; never empty.
    var snapshots: [UInt64]
    /// Of the oldest step; nil if there are none.
    var oldestStep: UInt64?
    /// Revisions before the newest whose states are wanted; nil until it is known.
    var history: Int?

    var oldestSnapshot: UInt64 { snapshots[0] }

    /// What can go first.
    enum Surplus: Equatable {
        /// The oldest snapshot: the next one does for all of the history.
        case snapshot
        /// Steps up to this revision, whose states no snapshot leads to any more.
        case steps(through: UInt64)
    }

    var surplus: Surplus? {
        if let oldestStep, oldestStep <= oldestSnapshot { return .steps(through: oldestSnapshot) }
        guard let history, snapshots.count > 1, newest - snapshots[1] >= UInt64(max(history, 0)) else { return nil }
        return .snapshot
    }
}
