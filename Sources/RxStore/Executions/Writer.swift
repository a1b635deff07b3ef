internal import RxPlatform
internal import RxRecords
internal import RxAction

/// Writes the changes of executions. Used from one queue.
final class Writer: GroupWriter {
    private let connection: WriteConnection
    private let changes: ChangeStatements
    private let extent: LogExtent
    /// Notes for the next daemon which executions are `unsettled`.
    private let lost: LostEnds
    /// Ends that could not be written. They are settled as soon as possible: their records go into the history, without
    /// events. Until then, no later daemon starts them again or takes them for interrupted.
    private var unsettled: [ExecutionID: UnstoredEnd] = [:]
    private var unsettledBytes = 0

    init(
        _ file: DatabaseFile, retention: ExecutionStore.Retention, _ extent: LogExtent, platform: Platform
    ) throws(StoreError) {
        self.extent = extent
        lost = file.ends
        connection = try WriteConnection(file)
        changes = try ChangeStatements(file.database, retention, platform)
    }

    var database: Database { connection.database }

    func write(_ group: ArraySlice<Write>, at time: Int64) -> [StoreError?] {
        do throws(StoreError) {
            let failures = try connection.makingRoom { () throws(StoreError) in try attempt(group, at: time) }
            settle()
            return failures
        } catch {
            lose(group.lazy.flatMap(\.unstoredEnds).filter { (try? self.changes.isKnown($0.id)) != false })
            return [StoreError?](repeating: error, count: group.count)
        }
    }

    private func attempt(_ group: ArraySlice<Write>, at time: Int64) throws(StoreError) -> [StoreError?] {
        var failures = [StoreError?](repeating: nil, count: group.count)
        // An execution that began and ended since the last commit needs no row in `pending`.
        var ends: [ExecutionID: Int] = [:]
        if group.count > 1 {
            for (index, write) in group.enumerated() {
                for id in write.ends { ends[id] = index }
            }
        }
        try transaction(syncs: group.contains { $0.isDurable }) { () throws(StoreError) in
            for (index, write) in group.enumerated() {
                do throws(StoreError) {
                    try changes.apply(write.change) { (ends[$0] ?? -1) > index }
                } catch {
                    // An error of this write alone (too large, for example) leaves the transaction open.
                    guard database.isInTransaction, error.concernsOneWrite else { throw error }
                    failures[index] = error
                }
            }
            try changes.trim(max(group.count, Trimmer.portion), at: time)
        }
        return failures
    }

    func refused(_ ends: [ExecutionID]) { lose(ends.map { UnstoredEnd(id: $0) }) }

    /// Without a further write, those whose ends could not be written are settled now.
    func finish() { settle() }

    /// Remembers executions whose ends could not be written.
    private func lose(_ ends: [UnstoredEnd]) {
        for end in ends where unsettled[end.id] == nil {
            guard unsettled.count < StoreLimits.lostEnds else { return }
            let fits = unsettledBytes + end.bytes <= StoreLimits.lostEndBytes
            unsettled[end.id] = fits ? end : UnstoredEnd(id: end.id)
            if fits { unsettledBytes += end.bytes }
            lost.add([end.id])
        }
    }

    /// Settles executions whose ends could not be written, in a transaction of their own, which needs more room than
    /// another one may need.
    private func settle() {
        guard !unsettled.isEmpty else { return }
        do throws(StoreError) {
            try transaction(syncs: false) { () throws(StoreError) in
                for end in unsettled.values.sorted(by: { $0.id < $1.id }) { try changes.settle(end) }
            }
            lost.remove(Array(unsettled.keys))
            (unsettled, unsettledBytes) = ([:], 0)
        } catch {
            // The next write tries again, or the next start finds them in the note.
        }
    }

    func trim(at time: Int64) throws(StoreError) -> Bool {
        guard try changes.hasSurplus(at: time) else { return try connection.returnSpace() }
        try transaction(syncs: false) { () throws(StoreError) in try changes.trim(Trimmer.portion, at: time) }
        return true
    }

    func checkpointIfNeeded() throws(StoreError) { try connection.checkpointIfNeeded() }

    private func transaction(syncs: Bool, _ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try connection.transaction(syncs: syncs, body)
            if let trimmed = changes.takeTrimmed() { extent.trim(through: trimmed) }
        } catch {
            changes.rolledBack()
            throw error
        }
    }
}
