/// What there is of one reactor's log, in numbers.
struct KeptLog: Equatable {
    /// The newest revision.
    var newest: Int
    /// In their order; never empty.
    var snapshots: [Int]
    /// Of the oldest step; nil if there are none.
    var oldestStep: Int?
    /// Revisions before the newest whose states are wanted; nil until it is known.
    var history: Int?

    var oldestSnapshot: Int { snapshots[0] }

    /// What can go first.
    enum Surplus: Equatable {
        /// The oldest snapshot: the next one does for all of the history.
        case snapshot
        /// Steps up to this revision, whose states no snapshot leads to any more.
        case steps(through: Int)
    }

    var surplus: Surplus? {
        if let oldestStep, oldestStep <= oldestSnapshot { return .steps(through: oldestSnapshot) }
        guard let history, snapshots.count > 1, snapshots[1] <= newest - history else { return nil }
        return .snapshot
    }
}
