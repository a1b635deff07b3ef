internal import RxJSON
internal import RxRecords

/// The values of streams as statements. Each is to be run within a transaction.
final class StreamStatements {
    private let put: Statement
    private let remove: Statement

    init(_ database: Database) throws(StoreError) {
        put = try Statement(
            "INSERT OR REPLACE INTO stream_values(stream, name, value) VALUES(?1, ?2, ?3)", database)
        remove = try Statement("DELETE FROM stream_values WHERE stream = ?1 AND name = ?2", database)
    }

    func apply(_ rows: [StreamRow]) throws(StoreError) {
        for row in rows {
            let statement = row.value == nil ? remove : put
            statement.bind(1, row.stream)
            statement.bind(2, row.name)
            if let value = row.value { statement.bind(3, value) }
            try statement.run()
        }
    }

    /// All values, by the names of their streams.
    ///
    /// - Returns: the values, and the number of those that cannot be read.
    static func read(
        _ database: Database
    ) throws(StoreError) -> (values: [String: [String: RawJSON]], unreadable: Int) {
        var values: [String: [String: RawJSON]] = [:]
        var unreadable = 0
        let decoder = RowDecoder()
        let rows = try Statement("SELECT stream, name, value FROM stream_values", database)
        while try rows.step() {
            guard let value = decoder.json(rows, 2) else {
                unreadable += 1
                continue
            }
            values[rows.text(0), default: [:]][rows.text(1)] = value
        }
        return (values, unreadable)
    }
}
