/// Finds how far the history is beyond the bytes that it may use, and removes what no record or execution in flight
/// has.
///
/// Used pages count, not the length of the file: pages of removed rows are free at once and returned later. What waits
/// or is in force whatever the history has, as durable inputs, keys, and values of streams, does not count. It is
/// estimated, by the bytes of its texts: once at the start, since that reads all of it. From then on, triggers of the
/// connection add and subtract within each transaction.
final class SpaceTrimmer {
    /// The bytes that a row takes beside its texts, with its entries in indices.
    private static let rowBytes = 256
    /// The tables whose rows do not count, each with its columns of long texts.
    private static let exempt: [(table: String, texts: [String])] = [
        ("pending", ["whole", "input"]), ("keys", []), ("stream_values", ["value"]),
    ]

    private let limit: Int64
    private let pageSize: Int64
    private let pages: Statement
    private let freePages: Statement
    private let exemptBytes: Statement
    private let removeOrphans: Statement

    /// - Parameters:
    ///   - database: the only connection that changes the file.
    ///   - limit: the most bytes.
    init(_ database: Database, bytes limit: Int) throws(StoreError) {
        self.limit = Int64(limit)
        pageSize = try database.integer("PRAGMA page_size")
        pages = try Statement("PRAGMA page_count", database)
        freePages = try Statement("PRAGMA freelist_count", database)
        // With recursive triggers, a row that another one replaces is removed.
        try database.execute(
            """
            PRAGMA temp_store = MEMORY;
            PRAGMA recursive_triggers = ON;
            CREATE TEMP TABLE exempt AS SELECT \(Self.exempt.map(Self.measure).joined(separator: " + ")) AS bytes;
            \(Self.exempt.map(Self.triggers).joined())
            """)
        exemptBytes = try Statement("SELECT bytes FROM temp.exempt", database)
        // Ids are in the order of time. Output from before the oldest record is of an execution in flight, or of one
        // whose end could not be stored.
        removeOrphans = try Statement(
            """
            DELETE FROM output WHERE execution < coalesce((SELECT min(id) FROM executions), 'g')
            AND execution NOT IN (SELECT id FROM pending)
            """, database)
    }

    /// The bytes of a row, as an expression.
    private static func size(_ texts: [String], of row: String = "") -> String {
        texts.reduce("\(rowBytes)") { "\($0) + coalesce(length(CAST(\(row)\($1) AS BLOB)), 0)" }
    }

    private static func measure(_ table: String, _ texts: [String]) -> String {
        "(SELECT coalesce(sum(\(size(texts))), 0) FROM main.\(table))"
    }

    private static func triggers(_ table: String, _ texts: [String]) -> String {
        let (new, old) = (size(texts, of: "NEW."), size(texts, of: "OLD."))
        var changes = [("INSERT", "+ \(new)"), ("DELETE", "- (\(old))")]
        if !texts.isEmpty { changes.append(("UPDATE OF \(texts.joined(separator: ", "))", "+ \(new) - (\(old))")) }
        return changes.enumerated().map { index, change in
            """
            CREATE TEMP TRIGGER exempt_\(table)_\(index) AFTER \(change.0) ON main.\(table) BEGIN
                UPDATE exempt SET bytes = bytes \(change.1);
            END;

            """
        }.joined()
    }

    /// The part of the rows that must go, from 0 to 1.
    func surplus() throws(StoreError) -> Double {
        let all = try (number(pages) - number(freePages)) * pageSize
        guard all > limit else { return 0 }
        let used = try all - number(exemptBytes)
        return used > limit ? Double(used - limit) / Double(used) : 0
    }

    func trimOrphans() throws(StoreError) { try removeOrphans.run() }

    private func number(_ statement: Statement) throws(StoreError) -> Int64 {
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
