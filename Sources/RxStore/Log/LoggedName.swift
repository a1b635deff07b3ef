/// Since when the store keeps the events of a name.
public struct LoggedName: Sendable, Equatable {
    /// What the name stands for, in a word of the host: a name may become one of another kind.
    public let kind: String
    /// The name.
    public let name: String
    /// Events of the name up to this one may be missing, whatever the retention; nil if it has none kept.
    public let since: UInt64?
    /// When `since` was the newest event, in milliseconds since 1970.
    public let time: Int64

    /// Sets the property of each name.
    public init(kind: String, name: String, since: UInt64?, time: Int64) {
        self.kind = kind
        self.name = name
        self.since = since
        self.time = time
    }

    /// The approximate memory that it uses.
    var bytes: Int { 64 + kind.utf8.count + name.utf8.count }
}

extension Schema.Step {
    /// - `names`: every name that was ever configured, as `LoggedName` has it: what lacks a row has no events.
    /// - `log.unnamed`: names without a row may have had events up to this one, before there were rows.
    static let names = Schema.Step(
        """
        CREATE TABLE names(
            kind TEXT NOT NULL, name TEXT NOT NULL, since INTEGER, time INTEGER NOT NULL, PRIMARY KEY(kind, name))
            STRICT, WITHOUT ROWID;
        ALTER TABLE log ADD COLUMN unnamed INTEGER NOT NULL DEFAULT 0;
        UPDATE log SET unnamed = reserved;
        """)
}

/// Writes and reads the rows of names. Each is to be run within a transaction.
final class NameStatements {
    private let put: Statement

    init(_ database: Database) throws(StoreError) {
        put = try Statement("INSERT OR REPLACE INTO names(kind, name, since, time) VALUES(?1, ?2, ?3, ?4)", database)
    }

    func put(_ names: [LoggedName]) throws(StoreError) {
        for name in names {
            put.bind(1, name.kind)
            put.bind(2, name.name)
            put.bind(3, name.since.map { Int64(clamping: $0) })
            put.bind(4, name.time)
            try put.run()
        }
    }

    /// All rows.
    ///
    /// - Parameter last: no event has a greater number.
    static func read(_ database: Database, upTo last: UInt64) throws(StoreError) -> [LoggedName] {
        let rows = try Statement("SELECT kind, name, since, time FROM names", database)
        var names: [LoggedName] = []
        while try rows.step() {
            names.append(
                LoggedName(
                    kind: rows.text(0), name: rows.text(1), since: rows.isNull(2) ? nil : min(rows.unsigned(2), last),
                    time: rows.integer(3)))
        }
        return names
    }
}
