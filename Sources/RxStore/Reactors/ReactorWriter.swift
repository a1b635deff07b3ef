internal import RxRecords
internal import RxJSON

/// Writes steps and snapshots, and removes those beyond the history. Used from one queue.
final class ReactorWriter: GroupWriter {
    private let connection: WriteConnection
    private let statements: ReactorStatements
    private let trimmer: LogTrimmer
    private let extents: LogExtents
    private var logs: KeptLogs
    /// Whether the file has a note of the extents as they are.
    private var isNoted: Bool
    /// The reactors whose logs end before their end of the last time.
    private let shortened: [String]

    /// - Parameters:
    ///   - file: the database.
    ///   - mostBytes: the most bytes of all logs together.
    ///   - recovers: whether to continue if logs have lost their end; `bridgeLosses` reports them then.
    init(_ file: DatabaseFile, mostBytes: Int, recovers: Bool = false) throws(StoreError) {
        connection = try WriteConnection(file)
        statements = try ReactorStatements(file.database)
        trimmer = LogTrimmer(statements)
        extents = LogExtents(file.database)
        let found = try extents.read(recovers: recovers)
        logs = KeptLogs(found.logs, mostBytes: mostBytes)
        isNoted = found.isNoted
        shortened = found.shortened.sorted()
    }

    var database: Database { connection.database }
    var reactors: [String] { logs.names }

    /// The newest stored revision.
    func newest(of reactor: String) -> UInt64? { logs[reactor]?.newest }

    /// The bytes of all logs.
    var bytes: Int { logs.bytes }

    // MARK: What is kept

    /// Sets the most bytes of all logs together.
    func bound(_ mostBytes: Int) { logs.mostBytes = mostBytes }

    /// Keeps the whole log of a reactor, until `bound` or the first write.
    func hold(_ reactor: String) { change(reactor) { $0.isHeld = true } }

    /// The reactor has begun, and keeps this much.
    func bound(_ reactor: String, _ persistence: ReactorPersistence) {
        change(reactor) { log in
            log.isHeld = false
            log.bounds = KeptLog.Bounds(persistence)
        }
    }

    /// No other reactor than these will begin for now: the logs of the others may be shortened.
    func release(allBut reactors: Set<String>) {
        logs.isComplete = true
        for reactor in logs.names where !reactors.contains(reactor) { change(reactor) { $0.isHeld = false } }
    }

    private func change(_ reactor: String, _ body: (inout KeptLog) -> Void) {
        guard var log = logs[reactor] else { return }
        body(&log)
        logs[reactor] = log
        logs.commit()
    }

    // MARK: Losses

    /// Adds a step `.replaced(.loss)` to logs that have lost something. Before anything else is written, and as a
    /// whole: a later daemon must not take the loss for reported while a log lacks the step.
    ///
    /// - Parameters:
    ///   - reader: reads the newest states.
    ///   - time: milliseconds since 1970.
    ///   - ofAll: whether transactions were lost: it is unknown of which logs, so that each has the step.
    ///   - repairs: whether a reactor whose newest state cannot be built continues from the newest one that can.
    ///     Otherwise, it is left as it is.
    /// - Returns: what such reactors have lost.
    func bridgeLosses(
        _ reader: StateReader, at time: Int64, ofAll: Bool, repairs: Bool
    ) throws(StoreError) -> [StateLoss] {
        var losses = shortened.map { reactor in
            StateLoss.reactor(path: database.path, name: reactor, revision: logs[reactor]?.newest)
        }
        func remove(_ reactor: String) throws(StoreError) {
            try statements.removeAll(of: reactor)
            logs[reactor] = nil
            let loss = StateLoss.reactor(path: database.path, name: reactor, revision: nil)
            if !losses.contains(loss) { losses.append(loss) }
        }
        try transaction(syncs: true) { () throws(StoreError) in
            for reactor in logs.names {
                guard let log = logs[reactor] else { continue }
                if let (state, _) = try? reader.newestState(of: reactor) {
                    if ofAll || shortened.contains(reactor) {
                        logs[reactor] = try bridge(reactor, log, state, at: time)
                    }
                } else if repairs {
                    guard let state = reader.newestReadableState(of: reactor, snapshots: log.snapshots) else {
                        try remove(reactor)
                        continue
                    }
                    logs[reactor] = try bridge(reactor, log, state, at: time)
                    losses.append(.reactor(path: database.path, name: reactor, revision: state.revision))
                }
            }
            guard repairs else { return }
            for reactor in try statements.reactorsWithoutSnapshot() { try remove(reactor) }
        }
        return losses
    }

    /// Has `state` follow the newest revision of a log, within a transaction.
    private func bridge(
        _ reactor: String, _ log: KeptLog, _ state: KeptState, at time: Int64
    ) throws(StoreError) -> KeptLog {
        var log = log
        log.newest += 1
        log.snapshots.append(log.newest)
        if log.oldestStep == nil { log.oldestStep = log.newest }
        var text = JSONWriter()
        text.value(state.value)
        log.bytes += try statements.insert(
            KeptStep(revision: log.newest, time: time, .replaced(.loss)), of: reactor)
        log.bytes += try statements.insert(
            log.newest, time: time, fingerprint: state.fingerprint, RawJSON(unchecked: text.bytes), of: reactor)
        return log
    }

    // MARK: Writing

    func write(_ group: ArraySlice<ReactorWrite>, at _: Int64) -> [StoreError?] {
        do throws(StoreError) {
            return try connection.makingRoom { () throws(StoreError) in try attempt(group) }
        } catch {
            // A whole state may be too large for a disk that has room for the steps of other reactors.
            let bridged = Set(group.lazy.filter(\.isBridge).map(\.log.reactor))
            let others = group.indices.filter { !bridged.contains(group[$0].log.reactor) }
            var failures = [StoreError?](repeating: error, count: group.count)
            guard !bridged.isEmpty, !others.isEmpty, let outcome = try? attempt(others.map { group[$0] }[...])
            else { return failures }
            for (place, failure) in zip(others, outcome) { failures[place - group.startIndex] = failure }
            return failures
        }
    }

    private func attempt(_ group: ArraySlice<ReactorWrite>) throws(StoreError) -> [StoreError?] {
        var failures = [StoreError?](repeating: nil, count: group.count)
        let syncs = group.contains(where: \.isSynced)
        try transaction(syncs: syncs) { () throws(StoreError) in
            let before = logs.bytes
            for (index, write) in group.enumerated() {
                do throws(StoreError) {
                    try apply(write)
                } catch {
                    // An error of this write alone leaves the transaction open.
                    guard database.isInTransaction, error.concernsOneWrite else { throw error }
                    failures[index] = error
                }
            }
            try trimmer.trim(&logs, LogTrimmer.portion(rows: group.count, bytes: logs.bytes - before))
        }
        return failures
    }

    private func apply(_ write: ReactorWrite) throws(StoreError) {
        let reactor = write.log.reactor
        var log = logs[reactor]
        switch write.change {
        case .step(let step): try add(step, of: reactor, to: &log)
        case .snapshot(let snapshot):
            let state = snapshot.text
            write.log.measured(stateBytes: state.utf8.count)
            try add(snapshot, state, of: reactor, to: &log)
        }
        log?.bounds = write.bounds
        log?.isHeld = false
        logs[reactor] = log
    }

    private func add(_ step: KeptStep, of reactor: String, to log: inout KeptLog?) throws(StoreError) {
        guard var known = log, step.revision == known.newest + 1 else {
            throw .outOfOrder(reactor: reactor, revision: step.revision, newest: log?.newest)
        }
        known.bytes += try statements.insert(step, of: reactor)
        known.newest = step.revision
        if known.oldestStep == nil { known.oldestStep = step.revision }
        log = known
    }

    private func add(
        _ snapshot: ReactorWrite.Snapshot, _ state: RawJSON, of reactor: String, to log: inout KeptLog?
    ) throws(StoreError) {
        let revision = snapshot.revision
        guard var known = log else {
            log = KeptLog(newest: revision, snapshots: [revision])
            log?.bytes = try statements.insert(snapshot, state, of: reactor)
            return
        }
        guard revision > known.newest || (revision == known.newest && snapshot.replaces == nil) else {
            throw .outOfOrder(reactor: reactor, revision: revision, newest: known.newest)
        }
        if known.snapshots.last == revision {
            known.bytes -= try statements.space(ofSnapshot: revision, of: reactor)
        } else {
            known.snapshots.append(revision)
        }
        known.bytes += try statements.insert(snapshot, state, of: reactor)
        if revision > known.newest {
            let cause = snapshot.replaces ?? .loss
            known.bytes += try statements.insert(
                KeptStep(revision: revision, time: snapshot.time, .replaced(cause)), of: reactor)
            if known.oldestStep == nil { known.oldestStep = revision }
            known.newest = revision
        }
        log = known
    }

    func trim(at _: Int64) throws(StoreError) -> Bool {
        guard logs.nextSurplus() != nil else { return try connection.returnSpace() }
        try transaction(syncs: false) { () throws(StoreError) in try trimmer.trim(&logs, LogTrimmer.portion()) }
        return true
    }

    func finish() {
        guard !isNoted else { return }
        try? transaction(syncs: false) { () throws(StoreError) in try extents.write(logs) }
    }

    private func transaction(syncs: Bool, _ body: () throws(StoreError) -> Void) throws(StoreError) {
        isNoted = false
        do throws(StoreError) {
            try connection.transaction(syncs: syncs, body)
            logs.commit()
        } catch {
            logs.rollBack()
            throw error
        }
    }

    func checkpointIfNeeded() throws(StoreError) { try connection.checkpointIfNeeded() }
}

extension ReactorWrite.Snapshot {
    fileprivate var text: RawJSON {
        var writer = JSONWriter()
        state.write(to: &writer)
        return RawJSON(unchecked: writer.bytes)
    }
}
