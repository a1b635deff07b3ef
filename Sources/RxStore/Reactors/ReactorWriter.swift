internal import RxRecords
internal import RxJSON

/// Writes steps and snapshots, and removes those beyond the history. Used from one queue.
final class ReactorWriter: GroupWriter {
    private let connection: WriteConnection
    private let statements: ReactorStatements
    private var logs: [String: KeptLog]
    /// The reactors of which rows have to be removed.
    private var surplus: Set<String> = []

    init(_ file: DatabaseFile) throws(StoreError) {
        connection = try WriteConnection(file)
        statements = try ReactorStatements(file.database)
        logs = try statements.logs()
        surplus = Set(logs.keys)
    }

    var database: Database { connection.database }
    var reactors: [String] { logs.keys.sorted() }

    /// The newest stored revision.
    func newest(of reactor: String) -> UInt64? { logs[reactor]?.newest }

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
        var losses: [StateLoss] = []
        var bridged = logs
        func remove(_ reactor: String) throws(StoreError) {
            try statements.removeAll(of: reactor)
            bridged[reactor] = nil
            losses.append(.reactor(path: database.path, name: reactor, revision: nil))
        }
        try connection.transaction(syncs: true) { () throws(StoreError) in
            for (reactor, log) in logs.sorted(by: { $0.key < $1.key }) {
                if let (state, _) = try? reader.newestState(of: reactor) {
                    if ofAll { bridged[reactor] = try bridge(reactor, log, state, at: time) }
                } else if repairs {
                    guard let state = reader.newestReadableState(of: reactor, snapshots: log.snapshots) else {
                        try remove(reactor)
                        continue
                    }
                    bridged[reactor] = try bridge(reactor, log, state, at: time)
                    losses.append(.reactor(path: database.path, name: reactor, revision: state.revision))
                }
            }
            guard repairs else { return }
            for reactor in try statements.reactorsWithoutSnapshot() { try remove(reactor) }
        }
        logs = bridged
        surplus = Set(logs.keys)
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
        try statements.insert(KeptStep(revision: log.newest, time: time, .replaced(.loss)), of: reactor)
        try statements.insert(
            log.newest, time: time, fingerprint: state.fingerprint, RawJSON(unchecked: text.bytes), of: reactor)
        return log
    }

    func write(_ group: ArraySlice<ReactorWrite>, at _: Int64) -> [StoreError?] {
        do throws(StoreError) {
            return try connection.makingRoom { () throws(StoreError) in try attempt(group) }
        } catch {
            return [StoreError?](repeating: error, count: group.count)
        }
    }

    private func attempt(_ group: ArraySlice<ReactorWrite>) throws(StoreError) -> [StoreError?] {
        var failures = [StoreError?](repeating: nil, count: group.count)
        // Only logs that are written to here; the others do not change.
        var changed: [String: KeptLog] = [:]
        try connection.transaction(syncs: group.contains { $0.durability == .sync }) { () throws(StoreError) in
            for (index, write) in group.enumerated() {
                let reactor = write.log.reactor
                var log = changed[reactor] ?? logs[reactor]
                do throws(StoreError) {
                    try apply(write, to: &log)
                } catch {
                    // An error of this write alone leaves the transaction open.
                    guard database.isInTransaction, error.concernsOneWrite else { throw error }
                    failures[index] = error
                }
                log?.history = write.history
                changed[reactor] = log
            }
            var portion = max(group.count, Trimmer.portion)
            for (reactor, log) in changed where portion > 0 {
                changed[reactor] = try trim(reactor, log, &portion)
            }
        }
        logs.merge(changed) { $1 }
        surplus.formUnion(changed.keys)
        return failures
    }

    private func apply(_ write: ReactorWrite, to log: inout KeptLog?) throws(StoreError) {
        let reactor = write.log.reactor
        switch write.change {
        case .step(let step):
            guard let newest = log?.newest, step.revision == newest + 1 else {
                throw .outOfOrder(reactor: reactor, revision: step.revision, newest: log?.newest)
            }
            try statements.insert(step, of: reactor)
            log?.newest = step.revision
            if log?.oldestStep == nil { log?.oldestStep = step.revision }
        case .snapshot(let snapshot):
            let revision = snapshot.revision
            let state = snapshot.text
            write.log.measured(stateBytes: state.utf8.count)
            guard var known = log else {
                try statements.insert(snapshot, state, of: reactor)
                log = KeptLog(newest: revision, snapshots: [revision])
                return
            }
            guard revision > known.newest || (revision == known.newest && snapshot.replaces == nil) else {
                throw .outOfOrder(reactor: reactor, revision: revision, newest: known.newest)
            }
            try statements.insert(snapshot, state, of: reactor)
            if revision > known.newest {
                let cause = snapshot.replaces ?? .loss
                try statements.insert(
                    KeptStep(revision: revision, time: snapshot.time, .replaced(cause)), of: reactor)
                if known.oldestStep == nil { known.oldestStep = revision }
                known.newest = revision
            }
            if known.snapshots.last != revision { known.snapshots.append(revision) }
            log = known
        }
    }

    func trim(at _: Int64) throws(StoreError) -> Bool {
        while let reactor = surplus.first, logs[reactor]?.surplus == nil { surplus.remove(reactor) }
        guard let reactor = surplus.first, let log = logs[reactor] else { return try connection.returnSpace() }
        var trimmed = log
        try connection.transaction(syncs: false) { () throws(StoreError) in
            var portion = Trimmer.portion
            trimmed = try trim(reactor, log, &portion)
        }
        logs[reactor] = trimmed
        return true
    }

    /// Removes at most `portion` rows beyond the history, within a transaction.
    private func trim(_ reactor: String, _ log: KeptLog, _ portion: inout Int) throws(StoreError) -> KeptLog {
        var log = log
        while portion > 0, let surplus = log.surplus {
            switch surplus {
            case .snapshot:
                try statements.removeSnapshot(log.oldestSnapshot, of: reactor)
                log.snapshots.removeFirst()
                portion -= 1
            case .steps(let revision):
                portion -= try statements.removeSteps(through: revision, of: reactor, atMost: portion)
                log.oldestStep = try statements.oldestStep(of: reactor)
            }
        }
        return log
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
