internal import RxRecords

/// The bytes of each log, and its newest revision: noted in the file when it is closed, so that the next start need not
/// read the rows.
///
/// A note has the number of its transaction (`commits`). It is valid while no other transaction has followed.
struct LogExtents {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The extents of all logs.
    struct Found {
        var logs: [String: KeptLog]
        /// Whether the bytes come from the note, so that it need not be written again.
        var isNoted: Bool
        /// The reactors whose logs end before their end in the note.
        var shortened: [String] = []
    }

    /// Reads the extents, from the rows if there is no valid note.
    ///
    /// Throws `.damaged` if a log does not end where it ended when the file was closed, or has steps but no snapshot,
    /// unless `recovers`.
    func read(recovers: Bool) throws(StoreError) -> Found {
        var logs = try ends()
        // A log begins with a snapshot, so bytes of a name were overwritten.
        if !recovers, let reactor = try names().first(where: { logs[$0] == nil }) {
            throw .damaged(path: database.path, message: "reactor \(reactor): steps without a snapshot")
        }
        let noted = try note()
        if noted.isEmpty, !logs.isEmpty {
            for (reactor, bytes) in try measure() { logs[reactor]?.bytes = bytes }
            return Found(logs: logs, isNoted: false)
        }
        var found = Found(logs: logs, isNoted: true)
        for (reactor, extent) in noted {
            found.logs[reactor]?.bytes = extent.bytes
            guard logs[reactor]?.newest != extent.newest else { continue }
            let end = logs[reactor].map { "revision \($0.newest)" } ?? "nothing"
            guard recovers else {
                throw .damaged(
                    path: database.path,
                    message: "reactor \(reactor) had revision \(extent.newest), and now has \(end)")
            }
            found.shortened.append(reactor)
        }
        return found
    }

    /// Notes the extents, within the last transaction before the file is closed.
    func write(_ logs: KeptLogs) throws(StoreError) {
        try database.execute("DELETE FROM extents")
        let insert = try Statement("INSERT INTO extents SELECT ?1, ?2, ?3, number + 1 FROM commits", database)
        for reactor in logs.names {
            guard let log = logs[reactor] else { continue }
            insert.bind(1, reactor)
            insert.bind(2, log.newest)
            insert.bind(3, Int64(log.bytes))
            try insert.run()
        }
    }

    private func ends() throws(StoreError) -> [String: KeptLog] {
        var logs: [String: KeptLog] = [:]
        let snapshots = try Statement("SELECT reactor, revision FROM snapshots ORDER BY reactor, revision", database)
        while try snapshots.step() {
            let revision = snapshots.unsigned(1)
            logs[snapshots.text(0), default: KeptLog(newest: revision, snapshots: [])].snapshots.append(revision)
        }
        // Two searches. A scan would load every step as a whole, and so does each comparison with a long one.
        let steps = try Statement(
            """
            SELECT (SELECT min(revision) FROM steps WHERE reactor = ?1),
                (SELECT max(revision) FROM steps WHERE reactor = ?1)
            """, database)
        for (reactor, var log) in logs {
            steps.bind(1, reactor)
            defer { steps.reset() }
            guard try steps.step() else { continue }
            log.oldestStep = steps.unsignedOrNil(0)
            log.newest = max(steps.unsignedOrNil(1) ?? 0, log.snapshots.last ?? 0)
            logs[reactor] = log
        }
        return logs
    }

    /// The reactors that have steps. A search for each, because a scan would load every step as a whole.
    private func names() throws(StoreError) -> [String] {
        let rows = try Statement(
            """
            WITH RECURSIVE names(name) AS (
                SELECT min(reactor) FROM steps
                UNION ALL SELECT (SELECT min(reactor) FROM steps WHERE reactor > name) FROM names WHERE name NOT NULL)
            SELECT name FROM names WHERE name NOT NULL
            """, database)
        var names: [String] = []
        while try rows.step() { names.append(rows.text(0)) }
        return names
    }

    private func note() throws(StoreError) -> [String: (newest: UInt64, bytes: Int)] {
        let rows = try Statement(
            "SELECT reactor, newest, bytes FROM extents, commits WHERE extents.number = commits.number", database)
        var noted: [String: (newest: UInt64, bytes: Int)] = [:]
        while try rows.step() { noted[rows.text(0)] = (rows.unsigned(1), Int(rows.unsigned(2))) }
        return noted
    }

    /// Reads all rows: about half a second per gigabyte, if they are in memory.
    private func measure() throws(StoreError) -> [String: Int] {
        var bytes: [String: Int] = [:]
        func add(_ sql: String, _ space: (Statement) -> Int) throws(StoreError) {
            let rows = try Statement(sql, database)
            var (reactor, sum): ([UInt8], Int) = ([], 0)
            func end() { bytes[String(decoding: reactor, as: UTF8.self), default: 0] += sum }
            while try rows.step() {
                if !rows.equals(0, reactor) {
                    end()
                    (reactor, sum) = (rows.bytes(0), 0)
                }
                sum += space(rows)
            }
            end()
        }
        try add("SELECT \(ReactorStatements.stepTexts) FROM steps ORDER BY reactor") { rows in
            RowSpace.step(texts: rows.size(ReactorStatements.stepTextColumns))
        }
        try add("SELECT \(ReactorStatements.snapshotTexts) FROM snapshots") { rows in
            RowSpace.snapshot(texts: rows.size(ReactorStatements.snapshotTextColumns))
        }
        return bytes
    }
}
