internal import CSQLite
internal import Glibc
internal import RxAction
internal import RxJSON

/// A prepared statement. Parameters count from 1, columns from 0; a parameter keeps its value until it is bound again.
final class Statement {
    private let database: Database
    private let sql: String
    private let handle: OpaquePointer

    init(_ sql: String, _ database: Database) throws(StoreError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else {
            let error = database.error(sql, code)
            // All statements are constants that fit the tables of the present version.
            throw code & 0xFF == SQLITE_ERROR ? error.asDamagedTables : error
        }
        self.database = database
        self.sql = sql
        handle = prepared
    }

    deinit { sqlite3_finalize(handle) }

    // A parameter that cannot be bound because memory is short stays NULL; columns that must not be NULL refuse that.
    func bind(_ index: Int32, _ value: Int64?) {
        if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
    }

    /// Values beyond Int64, which SQLite does not have, are clamped.
    func bind(_ index: Int32, _ value: UInt64) { bind(index, Int64(clamping: value)) }

    func bind(_ index: Int32, _ text: String?) {
        guard var text else { return bind(index, Int64?.none) }
        _ = text.withUTF8 { csqlite_bind_text(handle, index, $0.baseAddress ?? Self.nothing, $0.count) }
    }

    func bind(_ index: Int32, _ json: RawJSON?) {
        guard let json else { return bind(index, Int64?.none) }
        _ = json.utf8.withUnsafeBufferPointer {
            csqlite_bind_text(handle, index, $0.baseAddress ?? Self.nothing, $0.count)
        }
    }

    func bind(_ index: Int32, blob bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, $0.count) }
    }

    func bind(_ index: Int32, _ id: ExecutionID) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ExecutionID.textLength) { buffer in
            guard let base = buffer.baseAddress else { return }
            id.write(into: base)
            _ = csqlite_bind_text(handle, index, base, ExecutionID.textLength)
        }
    }

    /// An empty text is not NULL.
    private static var nothing: UnsafePointer<UInt8> { StaticString("").utf8Start }

    /// Moves to the next row; false if there is none. After that, or an error, the statement can be run again.
    func step() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE {
            sqlite3_reset(handle)
            return false
        }
        let error = database.error(sql, code)
        sqlite3_reset(handle)
        throw error
    }

    /// Runs a statement that returns no rows.
    func run() throws(StoreError) {
        while try step() {}
    }

    /// Drops the remaining rows.
    func reset() {
        sqlite3_reset(handle)
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    /// Negative values, which are not written here, are read as 0.
    func unsigned(_ column: Int32) -> UInt64 { UInt64(clamping: integer(column)) }
    func unsignedOrNil(_ column: Int32) -> UInt64? { isNull(column) ? nil : unsigned(column) }
    func integerOrNil(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// The bytes of a column.
    ///
    /// - Parameter padding: the number of readable bytes after them, of any value.
    func bytes(_ column: Int32, padding: Int = 0) -> [UInt8] {
        withBytes(column) { text in
            Array(unsafeUninitializedCapacity: text.count + padding) { bytes, used in
                used = bytes.update(fromContentsOf: text)
            }
        }
    }

    /// Calls `body` with the bytes of a column, which are valid meanwhile.
    func withBytes<Value>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        // SQLite requires this order: first the text, then its length.
        let text = sqlite3_column_text(handle, column)
        return body(UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// The bytes of a BLOB.
    func blob(_ column: Int32) -> [UInt8] {
        // SQLite requires this order: first the bytes, then their number.
        let bytes = sqlite3_column_blob(handle, column)
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// Whether these are the bytes of a column.
    func equals(_ column: Int32, _ bytes: [UInt8]) -> Bool {
        withBytes(column) { text in
            guard text.count == bytes.count else { return false }
            return bytes.isEmpty || bytes.withUnsafeBytes { memcmp(text.baseAddress!, $0.baseAddress!, $0.count) == 0 }
        }
    }

    /// The bytes of these columns together.
    func size(_ columns: ClosedRange<Int32>) -> Int {
        columns.reduce(0) { $0 + Int(sqlite3_column_bytes(handle, $1)) }
    }

    func text(_ column: Int32) -> String { withBytes(column) { String(decoding: $0, as: UTF8.self) } }
    func textOrNil(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
}
