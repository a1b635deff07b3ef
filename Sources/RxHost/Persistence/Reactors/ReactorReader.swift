internal import RxJSON

/// The connection that reads what is kept of reactors. Used from one queue; never waits for the one that writes.
final class ReactorReader {
    private let database: Database
    private let newestSnapshot: Statement
    private let ends: Statement
    private let newestSteps: Statement
    private let stepsBetween: Statement
    private let decoder: StepDecoder

    init(_ database: Database) throws(StoreError) {
        self.database = database
        decoder = StepDecoder(path: database.path)
        try database.execute("PRAGMA query_only = ON")
        newestSnapshot = try Statement(
            """
            SELECT revision, time, fingerprint, state FROM snapshots WHERE reactor = ?1 AND revision <= ?2
            ORDER BY revision DESC LIMIT 1
            """, database)
        ends = try Statement(
            """
            SELECT (SELECT min(revision) FROM snapshots WHERE reactor = ?1),
                (SELECT max(revision) FROM snapshots WHERE reactor = ?1),
                (SELECT max(revision) FROM steps WHERE reactor = ?1)
            """, database)
        let columns = "SELECT \(StepDecoder.columns) FROM steps WHERE reactor = ?1"
        // What is no longer the history's waits to be removed.
        let kept = "revision > (SELECT min(revision) FROM snapshots WHERE reactor = ?1)"
        newestSteps = try Statement(
            "\(columns) AND revision < ?2 AND \(kept) ORDER BY revision DESC LIMIT ?3", database)
        stepsBetween = try Statement(
            "\(columns) AND revision BETWEEN ?2 AND ?3 AND \(kept) ORDER BY revision", database)
    }

    func kept(_ reactor: String) throws(StoreError) -> KeptReactor? {
        try atOnce { () throws(StoreError) in
            ends.bind(1, reactor)
            _ = try ends.step()
            let (oldest, newest, step) = (ends.integerOrNil(0), ends.integerOrNil(1), ends.integerOrNil(2))
            ends.reset()
            guard let oldest, let newest, let snapshot = try base(of: reactor, atOrBefore: Int(newest)) else {
                guard step == nil else { throw decoder.damage(reactor, "steps without a snapshot") }
                return nil
            }
            return KeptReactor(
                snapshot: snapshot, revision: Int(max(newest, step ?? newest)), oldest: Int(oldest))
        }
    }

    func forEachStep(
        of reactor: String, after revision: Int, _ body: (KeptStep) -> Bool
    ) throws(StoreError) {
        var previous = revision
        try eachStep(of: reactor, from: revision, to: .max) { row throws(StoreError) in
            guard let step = decoder.step(row) else {
                throw decoder.damage(reactor, "revision \(row.integer(0)) cannot be read")
            }
            switch step.change {
            case .reduced where step.revision != previous + 1:
                throw decoder.damage(reactor, "revision \(previous + 1) is missing")
            case .reduced, .replaced: break
            }
            previous = step.revision
            return body(step)
        }
    }

    func history(
        of reactor: String, before revision: Int?, limit: Int
    ) throws(StoreError) -> (ReactorPage, unreadable: Int) {
        newestSteps.bind(1, reactor)
        newestSteps.bind(2, Int64(revision ?? .max))
        // One more tells whether there are more.
        newestSteps.bind(3, Int64(min(max(limit, 0), Int(Int32.max))) + 1)
        defer { newestSteps.reset() }
        let (steps, hasMore, unreadable) = try page(newestSteps, limit)
        return (ReactorPage(steps: steps.reversed(), hasMore: hasMore), unreadable)
    }

    func steps(
        of reactor: String, _ revisions: ClosedRange<Int>
    ) throws(StoreError) -> (ReactorPage, unreadable: Int) {
        stepsBetween.bind(1, reactor)
        stepsBetween.bind(2, Int64(revisions.lowerBound))
        stepsBetween.bind(3, Int64(revisions.upperBound))
        defer { stepsBetween.reset() }
        let (steps, hasMore, unreadable) = try page(stepsBetween, .max)
        return (ReactorPage(steps: steps, hasMore: hasMore), unreadable)
    }

    private func page(
        _ rows: Statement, _ limit: Int
    ) throws(StoreError) -> (steps: [KeptStep], hasMore: Bool, unreadable: Int) {
        var steps: [KeptStep] = []
        var (count, bytes, unreadable) = (0, 0, 0)
        while try rows.step() {
            count += 1
            guard count <= limit, bytes <= History.bytesPerPage else { return (steps, true, unreadable) }
            bytes += rows.size(StepDecoder.largeColumns)
            if let step = decoder.step(rows) { steps.append(step) } else { unreadable += 1 }
        }
        return (steps, false, unreadable)
    }

    func base(of reactor: String, atOrBefore revision: Int) throws(StoreError) -> KeptSnapshot? {
        newestSnapshot.bind(1, reactor)
        newestSnapshot.bind(2, Int64(revision))
        defer { newestSnapshot.reset() }
        guard try newestSnapshot.step() else { return nil }
        guard let snapshot = decoder.snapshot(newestSnapshot) else {
            throw decoder.damage(reactor, "the snapshot of revision \(newestSnapshot.integer(0)) cannot be read")
        }
        return snapshot
    }

    func path(of reactor: String, to revision: Int) throws(StoreError) -> KeptPath? {
        try atOnce { () throws(StoreError) in
            guard let base = try base(of: reactor, atOrBefore: revision) else { return nil }
            var patches: [RawJSON] = []
            var unread: Int64?
            try eachStep(of: reactor, from: base.revision, to: revision) { row throws(StoreError) in
                switch decoder.step(row)?.change {
                case .reduced(let reduction)?: patches.append(reduction.patch)
                // A snapshot would have been nearer.
                case .replaced?, nil: unread = unread ?? row.integer(0)
                }
                return true
            }
            if let unread { throw decoder.damage(reactor, "revision \(unread) cannot be read") }
            // Lost, or not yet there.
            guard patches.count == revision - base.revision else { return nil }
            return KeptPath(base: base, patches: patches)
        }
    }

    private func eachStep(
        of reactor: String, from revision: Int, to last: Int, _ body: (Statement) throws(StoreError) -> Bool
    ) throws(StoreError) {
        stepsBetween.bind(1, reactor)
        stepsBetween.bind(2, Int64(revision) + 1)
        stepsBetween.bind(3, Int64(last))
        defer { stepsBetween.reset() }
        while try stepsBetween.step(), try body(stepsBetween) {}
    }

    /// Reads all of it as it was at one moment.
    private func atOnce<Value>(_ read: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try database.execute("BEGIN")
        // Nothing was written that it could fail to end.
        defer { try? database.execute("COMMIT") }
        return try read()
    }
}
