internal import Glibc
public import RxPlatform

/// A backup of a state directory: a copy of each of its databases, and of the indices of watched paths, made while a
/// daemon uses them, or while none does.
///
/// The copies have the names of the files and need no other. In the place of the databases, of all their neighbors
/// (`-wal`, `-shm`, and `-lock`), and of the indices, they are the state of the moment of the backup.
public struct StateBackup: Sendable {
    /// A complete copy of a file.
    public struct Copy: Sendable, Equatable {
        /// Its path.
        public let path: String
        /// Its size.
        public let bytes: Int
    }

    /// The databases of a state directory.
    static let databases: [(name: String, schema: Schema)] = [
        ("rxd.db", .executions), ("reactors.db", .reactors),
    ]

    /// Whether a file of a state directory is the index of a watched path.
    static func isIndex(_ name: String) -> Bool { name.hasSuffix(".index") }

    private let state: String
    private let directory: String
    private let disk: Disk

    /// - Parameters:
    ///   - state: the state directory. Nothing in it is changed, except that SQLite makes missing `-wal` and `-shm`
    ///     files.
    ///   - directory: the directory of the copies; made with mode 0700 if it is missing.
    ///   - disk: the disk.
    public init(of state: String, to directory: String, on disk: Disk = .system) {
        self.state = state
        self.directory = directory
        self.disk = disk
    }

    /// Makes the copies, with mode 0600, and returns when they are on the disk.
    ///
    /// Each is complete and was checked for damage when it gets its name. After an error, the earlier copies are as
    /// they were; only an error of the last step, in which the copies get their names, may leave one of each.
    ///
    /// - Parameters:
    ///   - replacing: whether to replace the copies that the directory has. A copy of a database that the state does
    ///     not have now is never replaced or removed: it is refused.
    ///   - onPartialFiles: called with the paths of files that may be removed if the process ends before the copies are
    ///     complete, before the first of them is made; and with none before the copies get their names, or after an
    ///     error.
    public func make(
        replacing: Bool = false, onPartialFiles: (_ paths: [String]) -> Void = { _ in }
    ) throws(BackupFailure) -> [Copy] {
        guard !BackupDirectory.isInside(directory, state, disk) else { throw .insideState(path: directory) }
        let indices = try indices()
        let snapshots = try snapshots()
        guard !snapshots.isEmpty else { throw .nothingStored(path: state) }
        let names = snapshots.map { $0.name } + indices.map { $0.name }
        let target = try BackupDirectory(directory, for: names, of: state, replacing: replacing, disk)
        onPartialFiles(target.partialFiles)
        do throws(BackupFailure) {
            for (name, snapshot) in snapshots {
                try snapshot.copy(to: try target.makePartial(name), disk)
            }
            for (name, bytes) in indices { try write(bytes, to: try target.makePartial(name)) }
        } catch {
            target.discard()
            onPartialFiles([])
            throw error
        }
        // Copies that have got their names in part show that by the names of the others.
        onPartialFiles([])
        return try target.publish(names)
    }

    /// The indices of watched paths. Read before the snapshots: what an index has, rxd.db has as well, and what is
    /// recorded meanwhile is emitted again after a restore. The end of an index may have a record in part, as after a
    /// crash.
    private func indices() throws(BackupFailure) -> [(name: String, bytes: [UInt8])] {
        var indices: [(name: String, bytes: [UInt8])] = []
        var path = state
        do throws(DiskFailure) {
            for name in try disk.names(state + "/.").filter(Self.isIndex).sorted() {
                path = state + "/" + name
                indices.append((name, try disk.read(path, disk.size(path) ?? 0)))
            }
        } catch {
            if path == state, error.errno == ENOENT { return [] }
            throw .store(.file(call: error.call, path: path, errno: error.errno))
        }
        return indices
    }

    /// Writes a copy to a file that exists, and returns when it is on the disk.
    private func write(_ bytes: [UInt8], to path: String) throws(BackupFailure) {
        for (call, error) in [("write", disk.write(path, bytes)), ("fsync", disk.sync(path))] where error != 0 {
            throw .unwritable(.file(call: call, path: path, errno: error))
        }
    }

    /// The databases that the state directory has. The moments of their snapshots are as close as two calls can be;
    /// copying the first would take longer.
    private func snapshots() throws(BackupFailure) -> [(name: String, snapshot: DatabaseSnapshot)] {
        var snapshots: [(name: String, snapshot: DatabaseSnapshot)] = []
        for (name, schema) in Self.databases {
            do throws(StoreError) {
                let path = state + "/" + name
                guard let snapshot = try DatabaseSnapshot(path: path, schema: schema, disk: disk) else { continue }
                snapshots.append((name, snapshot))
            } catch {
                throw .store(error)
            }
        }
        return snapshots
    }
}
