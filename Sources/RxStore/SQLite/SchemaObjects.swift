internal import RxPlatform

/// The tables and indices of a database, by name, each with its definition.
struct SchemaObjects: Equatable {
    private let definitions: [String: String]

    /// What the database has; the statistics that `ANALYZE` makes are nobody's part.
    init(of database: Database) throws(StoreError) {
        var definitions: [String: String] = [:]
        let rows = try Statement(
            "SELECT name, type, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat[0-9]'", database)
        while try rows.step() {
            // Versions may have laid out the same definition in other lines.
            let words = rows.text(3).split { $0.isWhitespace }.joined(separator: " ")
            definitions[rows.text(0)] = "\(rows.text(1)) of \(rows.text(2)): \(words)"
        }
        self.definitions = definitions
    }

    /// What these steps make.
    init(madeBy steps: some Sequence<Schema.Step>) throws(StoreError) {
        let model = try Database(path: Database.memory, on: .system)
        for step in steps { try model.execute(step.sql) }
        try self.init(of: model)
    }

    /// The name of a table or an index that is missing here or in `other`, or is different there; nil if all are equal.
    func difference(from other: SchemaObjects) -> String? {
        Set(definitions.keys).union(other.definitions.keys).sorted().first { definitions[$0] != other.definitions[$0] }
    }
}
