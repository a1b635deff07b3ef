internal import RxPlatform

/// What the mark beside a database states about it at a start.
struct MarkedStart {
    private let path: String
    private let content: CommitMarks.Content
    private let hasDamagedSlot: Bool
    private let void: VoidCommit
    private let wasSynced: Bool
    private let boot: BootID
    private let recovers: Bool
    /// Whether the database need not be checked: the last daemon closed it, and nothing has changed it since.
    let wasClosed: Bool

    /// - Parameters:
    ///   - path: the path of the database.
    ///   - marks: what is noted beside it.
    ///   - isClosed: whether the last daemon closed the database, and nothing has changed it since.
    ///   - boot: the boot of the machine now.
    ///   - recovers: whether to continue without what is damaged or lost.
    init(of path: String, _ marks: CommitMarks, isClosed: Bool, boot: BootID, recovers: Bool) {
        self.path = path
        content = marks.content
        hasDamagedSlot = marks.hasDamage
        void = marks.void
        wasSynced = marks.cleanEnd != nil
        self.boot = boot
        self.recovers = recovers
        wasClosed = !recovers && isClosed
    }

    /// Whether the database has everything that was committed, if its mark is whole: the kernel had it all the time, or
    /// the last daemon synced it at its end.
    var isContinued: Bool {
        guard case .mark(let mark) = content else { return false }
        return wasSynced || (boot == mark.boot && boot != .unknown)
    }

    /// Whether the last transaction of the log, which has this number, was reported as failed and can be taken back.
    ///
    /// In another boot, it may be one that has replaced the failed one: the note and the mark may be older than the
    /// log.
    func canTakeBack(_ number: UInt64) -> Bool {
        guard case .mark(let mark) = content, boot == mark.boot, boot != .unknown else { return false }
        return number == mark.committed + 1 && void.noted == number
    }

    /// The mark to write before the note of the end is removed, so that a start that fails after that is not taken for
    /// a crash of the machine by the next one; nil if it has to stay.
    func markOfSynced(at row: CommitRow) throws(StoreError) -> CommitMark? {
        guard wasSynced, try loss(at: row) == nil else { return nil }
        return mark(at: row.number)
    }

    /// The loss if the mark is damaged, or the file is missing although there is a mark or a log; nil if neither is so.
    /// Throws it unless it is to be accepted.
    func lossOfMark(isMissing: Bool, hasLog: Bool) throws(StoreError) -> StateLoss? {
        switch content {
        case .none where !isMissing || !hasLog: return nil
        case .damaged:
            guard recovers else { throw .damagedMark(path: path) }
            return isMissing ? .file(path: path) : .mark(path: path)
        case .none, .mark:
            guard isMissing else { return nil }
            guard recovers else { throw .missing(path: path) }
            return .file(path: path)
        }
    }

    /// The loss in a database with this row; nil for none. Throws it if it means damage, unless it is to be accepted.
    func loss(at row: CommitRow) throws(StoreError) -> StateLoss? {
        guard case .mark(let mark) = content else { return row.isMarked ? .mark(path: path) : nil }
        let number = row.number
        if mark.committed > number {
            guard recovers || !mark.isDamage(at: number, in: boot) else {
                throw .rolledBack(path: path, missing: mark.committed - number)
            }
            return .commits(path: path, count: mark.committed - number)
        }
        if number == mark.committed + 1, void.contains(number) { return .void(path: path) }
        // The damaged slot may have had the mark of one transaction more.
        if hasDamagedSlot, !wasSynced, number == mark.committed { return .mark(path: path) }
        return isContinued ? nil : .unsynced(path: path)
    }

    /// The mark of the database from now on, whose last transaction has this number.
    func mark(at number: UInt64) -> CommitMark {
        var synced = number
        if case .mark(let mark) = content, boot == mark.boot { synced = min(mark.synced, number) }
        return CommitMark(boot: boot, committed: number, synced: synced)
    }
}
