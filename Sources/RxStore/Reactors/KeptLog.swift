internal import RxRecords

/// The extent of one reactor's stored log.
struct KeptLog: Equatable {
    /// How much of a log is kept.
    struct Bounds: Equatable {
        /// The number of revisions before the newest.
        var history: Int
        /// The bytes of steps and snapshots.
        var bytes: Int

        init(_ persistence: ReactorPersistence) {
            history = max(persistence.history, 0)
            bytes = max(persistence.historyBytes, 0)
        }
    }

    /// The newest revision.
    var newest: UInt64
    /// The revisions of the snapshots, in their order; never empty.
    var snapshots: [UInt64]
    /// The revision of the oldest step; nil if there are none.
    var oldestStep: UInt64?
    /// The bytes of all its rows, by `RowSpace`.
    var bytes = 0
    /// What its reactor asks for; nil until it is known.
    var bounds: Bounds?
    /// Whether all of it stays because it may be read as a whole: until its reactor has started.
    var isHeld = true

    var oldestSnapshot: UInt64 { snapshots[0] }

    /// The next part of the log that can be removed.
    enum Surplus: Equatable {
        /// The oldest snapshot: the history begins at the next one from then on.
        case snapshot
        /// Steps up to this revision, whose states cannot be built from a snapshot any more.
        case steps(through: UInt64)
    }

    /// What is beyond the bounds of this log. The newest snapshot and the steps after it always stay.
    var surplus: Surplus? {
        if let oldestStep, oldestStep <= oldestSnapshot { return .steps(through: oldestSnapshot) }
        guard canShrink, let bounds else { return nil }
        let isLong = newest - snapshots[1] >= UInt64(bounds.history)
        return isLong || bytes > bounds.bytes ? .snapshot : nil
    }

    /// Whether the history can begin later.
    var canShrink: Bool { !isHeld && snapshots.count > 1 }
}
