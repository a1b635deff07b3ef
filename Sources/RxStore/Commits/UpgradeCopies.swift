internal import RxPlatform

/// The copies of a database that are made before its tables are upgraded: `rxd.db.v1` is the file in version 1.
struct UpgradeCopies {
    private let path: String
    /// The version that the tables are upgraded to.
    private let version: Int
    private let disk: Disk

    init(of path: String, _ version: Int, _ disk: Disk) {
        self.path = path
        self.version = version
        self.disk = disk
    }

    private func name(_ version: Int) -> String { path + ".v\(version)" }

    /// Copies the database as it is, outside of a transaction.
    ///
    /// The copy gets its name when it is complete, in the place of an earlier one.
    func make(of database: Database, in version: Int) throws(StoreError) {
        let partial = name(version) + "-partial"
        var error = disk.remove(partial)
        guard error == 0 else { throw .file(call: "unlink", path: partial, errno: error) }
        // SQLite fills an empty file, and would create one that others may read.
        try Schema.createFile(partial, on: disk)
        let statement = try Statement("VACUUM INTO ?1", database)
        // The connection was opened so that SQLite refuses a link anywhere in the path of a file.
        statement.bind(1, disk.resolve(partial) ?? partial)
        try statement.run()
        error = disk.rename(partial, name(version))
        guard error == 0 else { throw .file(call: "rename", path: partial, errno: error) }
    }

    func remove() {
        for version in 1..<max(version, 1) { _ = disk.remove(name(version)) }
    }
}
