internal import RxJSON

/// Reads the stored reactors over a connection of its own. Used from one queue; never waits for the writer.
final class StateReader {
    private let database: Database
    private let newestSnapshot: Statement
    private let bytesUntil: Statement
    private let ends: Statement
    private let newestSteps: Statement
    private let stepsBetween: Statement
    private let decoder: StepDecoder

    init(_ database: Database) throws(StoreError) {
        self.database = database
        decoder = StepDecoder(path: database.path)
        try database.execute("PRAGMA query_only = ON")
        try database.boundPages()
        newestSnapshot = try Statement(
            """
            SELECT revision, time, fingerprint, state FROM snapshots WHERE reactor = ?1 AND revision <= ?2
            ORDER BY revision DESC LIMIT 1
            """, database)
        // SQLite counts the characters of a text, and the bytes of a BLOB.
        bytesUntil = try Statement(
            """
            SELECT length(CAST(state AS BLOB)) + coalesce(
                (SELECT sum(length(CAST(patch AS BLOB))) FROM steps
                    WHERE reactor = ?1 AND revision > snapshots.revision AND revision <= ?2), 0)
            FROM snapshots WHERE reactor = ?1 AND revision <= ?2 ORDER BY revision DESC LIMIT 1
            """, database)
        ends = try Statement(
            """
            SELECT (SELECT min(revision) FROM snapshots WHERE reactor = ?1),
                (SELECT max(revision) FROM snapshots WHERE reactor = ?1),
                (SELECT max(revision) FROM steps WHERE reactor = ?1)
            """, database)
        // An archive may open a file that only an earlier version has written.
        let isOld = try database.integer("PRAGMA user_version") < 2
        let columns =
            "SELECT \(isOld ? StepDecoder.columnsOfVersion1 : StepDecoder.columns) FROM steps WHERE reactor = ?1"
        // Older steps are no longer part of the history and wait to be removed.
        let kept = "revision > (SELECT min(revision) FROM snapshots WHERE reactor = ?1)"
        newestSteps = try Statement(
            "\(columns) AND revision < ?2 AND \(kept) ORDER BY revision DESC LIMIT ?3", database)
        stepsBetween = try Statement(
            "\(columns) AND revision BETWEEN ?2 AND ?3 AND \(kept) ORDER BY revision", database)
    }

    func kept(_ reactor: String) throws(StoreError) -> KeptReactor? {
        try atOnce { () throws(StoreError) in
            guard let ends = try findEnds(of: reactor), let base = try base(of: reactor, atOrBefore: ends.newest)
            else { return nil }
            return KeptReactor(snapshot: base, revision: ends.newest, oldest: ends.oldest)
        }
    }

    /// The newest state, and the extent of the steps since the newest snapshot.
    func newestState(of reactor: String) throws(StoreError) -> (KeptState, LogProgress.Found)? {
        try atOnce { () throws(StoreError) in
            guard let ends = try findEnds(of: reactor) else { return nil }
            return try build(reactor, ends.newest)
        }
    }

    func state(of reactor: String, at revision: UInt64) throws(StoreError) -> KeptState? {
        try atOnce { () throws(StoreError) in try build(reactor, revision)?.state }
    }

    /// The bytes that the state of a revision is built from: those of the snapshot before it and of the patches since.
    /// Zero if there is no such snapshot.
    func bytes(of reactor: String, at revision: UInt64) throws(StoreError) -> Int {
        bytesUntil.bind(1, reactor)
        bytesUntil.bind(2, revision)
        defer { bytesUntil.reset() }
        return try bytesUntil.step() ? Int(bytesUntil.integer(0)) : 0
    }

    /// Builds the state of a revision; nil if it was lost or removed, or does not exist yet.
    private func build(
        _ reactor: String, _ revision: UInt64
    ) throws(StoreError) -> (state: KeptState, LogProgress.Found)? {
        guard let base = try base(of: reactor, atOrBefore: revision) else { return nil }
        var value = base.state.value()
        var found = LogProgress.Found(stateBytes: base.state.utf8.count)
        var next = base.revision + 1
        try eachStep(of: reactor, from: next, to: revision) { row throws(StoreError) in
            let step = row.unsigned(0)
            // A loss is after the revision that is wanted, or before a nearer snapshot.
            guard step == next else { throw decoder.damage(reactor, "revision \(next) is missing") }
            do {
                try decoder.patch(row).apply(to: &value)
            } catch {
                throw decoder.damage(reactor, "revision \(step) cannot be read")
            }
            next += 1
            found.steps += 1
            found.bytes += row.size(StepDecoder.largeColumns)
            return true
        }
        guard next - 1 == revision else { return nil }
        return (KeptState(revision: revision, fingerprint: base.fingerprint, value: value), found)
    }

    /// The newest state that can be built although rows are missing or cannot be read; nil if there is none.
    ///
    /// - Parameter snapshots: the revisions of the snapshots, in their order.
    func newestReadableState(of reactor: String, snapshots: [UInt64]) -> KeptState? {
        for revision in snapshots.reversed() {
            guard let base = try? base(of: reactor, atOrBefore: revision), base.revision == revision else { continue }
            var (value, last) = (base.state.value(), revision)
            // An error ends the steps like a missing one.
            try? eachStep(of: reactor, from: revision + 1, to: .max) { row throws(StoreError) in
                var next = value
                guard row.unsigned(0) == last + 1, (try? decoder.patch(row).apply(to: &next)) != nil else {
                    return false
                }
                (value, last) = (next, last + 1)
                return true
            }
            return KeptState(revision: last, fingerprint: base.fingerprint, value: value)
        }
        return nil
    }

    /// The first steps after a revision, as many as an archive reads at once, and whether there are more.
    ///
    /// Throws `.damaged` if one of them is missing or cannot be read.
    func portion(
        of reactor: String, after revision: UInt64
    ) throws(StoreError) -> (steps: [KeptStep], hasMore: Bool) {
        guard revision < .max else { return ([], false) }
        var (steps, bytes, hasMore) = ([KeptStep](), 0, false)
        var next = revision + 1
        try eachStep(of: reactor, from: next, to: .max) { row throws(StoreError) in
            guard steps.count < StateArchive.stepsPerPage, bytes < StateArchive.bytesPerPage else {
                hasMore = true
                return false
            }
            guard let step = decoder.step(row) else {
                throw decoder.damage(reactor, "revision \(row.unsigned(0)) cannot be read")
            }
            switch step.change {
            case .reduced where step.revision != next:
                throw decoder.damage(reactor, "revision \(next) is missing")
            case .reduced, .replaced: break
            }
            next = step.revision + 1
            bytes += row.size(StepDecoder.largeColumns)
            steps.append(step)
            return true
        }
        return (steps, hasMore)
    }

    /// The oldest snapshot, and the newest revision.
    func findEnds(of reactor: String) throws(StoreError) -> (oldest: UInt64, newest: UInt64)? {
        ends.bind(1, reactor)
        defer { ends.reset() }
        guard try ends.step() else { return nil }
        let (newest, step) = (ends.unsignedOrNil(1), ends.unsignedOrNil(2))
        guard let oldest = ends.unsignedOrNil(0), let newest else {
            guard step == nil else { throw decoder.damage(reactor, "steps without a snapshot") }
            return nil
        }
        return (oldest, max(newest, step ?? newest))
    }

    func history(
        of reactor: String, before revision: UInt64?, limit: Int
    ) throws(StoreError) -> (ReactorPage, unreadable: Int) {
        newestSteps.bind(1, reactor)
        newestSteps.bind(2, revision ?? .max)
        // One more row shows whether there are more.
        newestSteps.bind(3, Int64(min(max(limit, 0), Int(Int32.max))) + 1)
        defer { newestSteps.reset() }
        let (steps, hasMore, unreadable) = try page(newestSteps, limit)
        return (ReactorPage(steps: steps.reversed(), hasMore: hasMore), unreadable)
    }

    func steps(
        of reactor: String, _ revisions: ClosedRange<UInt64>, limit: Int = .max, bytes: Int = History.bytesPerPage
    ) throws(StoreError) -> (ReactorPage, unreadable: Int) {
        stepsBetween.bind(1, reactor)
        stepsBetween.bind(2, revisions.lowerBound)
        stepsBetween.bind(3, revisions.upperBound)
        defer { stepsBetween.reset() }
        let (steps, hasMore, unreadable) = try page(stepsBetween, limit, bytes)
        return (ReactorPage(steps: steps, hasMore: hasMore), unreadable)
    }

    private func page(
        _ rows: Statement, _ limit: Int, _ mostBytes: Int = History.bytesPerPage
    ) throws(StoreError) -> (steps: [KeptStep], hasMore: Bool, unreadable: Int) {
        var steps: [KeptStep] = []
        var (count, bytes, unreadable) = (0, 0, 0)
        while try rows.step() {
            count += 1
            guard count <= limit, bytes <= mostBytes else { return (steps, true, unreadable) }
            bytes += rows.size(StepDecoder.largeColumns)
            if let step = decoder.step(rows) { steps.append(step) } else { unreadable += 1 }
        }
        return (steps, false, unreadable)
    }

    func base(of reactor: String, atOrBefore revision: UInt64) throws(StoreError) -> KeptSnapshot? {
        newestSnapshot.bind(1, reactor)
        newestSnapshot.bind(2, revision)
        defer { newestSnapshot.reset() }
        guard try newestSnapshot.step() else { return nil }
        guard let snapshot = decoder.snapshot(newestSnapshot) else {
            throw decoder.damage(reactor, "the snapshot of revision \(newestSnapshot.unsigned(0)) cannot be read")
        }
        return snapshot
    }

    private func eachStep(
        of reactor: String, from first: UInt64, to last: UInt64, _ body: (Statement) throws(StoreError) -> Bool
    ) throws(StoreError) {
        stepsBetween.bind(1, reactor)
        stepsBetween.bind(2, first)
        stepsBetween.bind(3, last)
        defer { stepsBetween.reset() }
        while try stepsBetween.step(), try body(stepsBetween) {}
    }

    /// Runs `body` in a transaction, so that all its reads are of one moment.
    private func atOnce<Value>(_ read: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try database.execute("BEGIN")
        // A transaction without writes cannot fail to end.
        defer { try? database.execute("COMMIT") }
        return try read()
    }
}
