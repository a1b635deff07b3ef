internal import RxRecords

/// Finds how far the history is beyond the bytes that it may use, and removes what no record or execution in flight
/// has.
///
/// Used pages count, not the length of the file: pages of removed rows are free at once and returned later. What waits
/// or is in force whatever the history has, as durable inputs, keys, and values of streams, does not count. It is
/// estimated, by the bytes of its texts.
final class SpaceTrimmer {
    /// The bytes that a row takes beside its texts, with its entries in indices.
    private static let rowBytes = 256
    /// Milliseconds between two measures of what does not count, since each reads all of it. In between, what is added
    /// does not count either, and what is removed still does not.
    private static let measureInterval: Int64 = 10_000

    private let limit: Int64
    private let pageSize: Int64
    private let pages: Statement
    private let freePages: Statement
    private let measure: Statement
    private let removeOrphans: Statement
    /// The bytes that do not count.
    private var exempt: Int64 = 0
    private var measuredAt: Int64?

    /// - Parameter limit: the most bytes.
    init(_ database: Database, bytes limit: Int) throws(StoreError) {
        self.limit = Int64(limit)
        pageSize = try database.integer("PRAGMA page_size")
        pages = try Statement("PRAGMA page_count", database)
        freePages = try Statement("PRAGMA freelist_count", database)
        measure = try Statement(
            """
            SELECT
                (SELECT coalesce(sum(\(Self.rowBytes) + coalesce(length(CAST(whole AS BLOB)), 0)
                    + coalesce(length(CAST(input AS BLOB)), 0)), 0) FROM pending)
                + (SELECT \(Self.rowBytes) * count(*) FROM keys)
                + (SELECT coalesce(sum(\(Self.rowBytes) + length(CAST(value AS BLOB))), 0) FROM stream_values)
            """, database)
        // Ids are in the order of time. Output from before the oldest record is of an execution in flight, or of one
        // whose end could not be stored.
        removeOrphans = try Statement(
            """
            DELETE FROM output WHERE execution < coalesce((SELECT min(id) FROM executions), 'g')
            AND execution NOT IN (SELECT id FROM pending)
            """, database)
    }

    /// A row that does not count was added, with texts of so many bytes.
    func addedExempt(_ bytes: Int) { exempt += Int64(bytes + Self.rowBytes) }

    /// The part of the rows that must go, from 0 to 1.
    func surplus(at now: Int64) throws(StoreError) -> Double {
        let all = try (number(pages) - number(freePages)) * pageSize
        guard all > limit else { return 0 }
        if measuredAt.map({ now < $0 || now - $0 >= Self.measureInterval }) ?? true {
            exempt = try number(measure)
            measuredAt = now
        }
        let used = all - exempt
        return used > limit ? Double(used - limit) / Double(used) : 0
    }

    func trimOrphans() throws(StoreError) { try removeOrphans.run() }

    private func number(_ statement: Statement) throws(StoreError) -> Int64 {
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
