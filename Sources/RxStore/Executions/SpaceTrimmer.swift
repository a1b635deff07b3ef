internal import RxRecords

/// Finds how far the file is beyond the bytes that it may use, and removes what no record or execution in flight has.
///
/// Used pages count, not the length of the file: pages of removed rows are free at once and returned later.
final class SpaceTrimmer {
    private let limit: Int64
    private let pageSize: Int64
    private let pages: Statement
    private let freePages: Statement
    private let removeOrphans: Statement

    /// - Parameter limit: the most bytes.
    init(_ database: Database, bytes limit: Int) throws(StoreError) {
        self.limit = Int64(limit)
        pageSize = try database.integer("PRAGMA page_size")
        pages = try Statement("PRAGMA page_count", database)
        freePages = try Statement("PRAGMA freelist_count", database)
        // Ids are in the order of time. Output from before the oldest record is of an execution in flight, or of one
        // whose end could not be stored.
        removeOrphans = try Statement(
            """
            DELETE FROM output WHERE execution < coalesce((SELECT min(id) FROM executions), 'g')
            AND execution NOT IN (SELECT id FROM pending)
            """, database)
    }

    /// The part of the rows that must go, from 0 to 1.
    func surplus() throws(StoreError) -> Double {
        let used = try (number(pages) - number(freePages)) * pageSize
        return used > limit ? Double(used - limit) / Double(used) : 0
    }

    func trimOrphans() throws(StoreError) { try removeOrphans.run() }

    private func number(_ statement: Statement) throws(StoreError) -> Int64 {
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
