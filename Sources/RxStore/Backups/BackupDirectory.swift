internal import Glibc
internal import RxPlatform

/// The directory of the copies, which one backup at a time writes to.
///
/// A copy has the name `NAME-partial` until all copies are complete. Its lock is in the file `.lock`, which stays.
final class BackupDirectory {
    /// The files that SQLite and rxd have beside a database in use.
    private static let neighbors = ["-wal", "-shm", "-journal", "-lock"]
    /// The files that SQLite may have beside a copy that is not complete.
    private static let remains = ["", "-wal", "-shm", "-journal"]

    private let path: String
    private let disk: Disk
    private let lock: FileLock
    /// The names of all copies that it has or gets.
    private let names: [String]

    /// Makes the directory if it is missing, and locks it. Refuses one that others may write.
    ///
    /// - Parameters:
    ///   - path: its path.
    ///   - names: the files that are copied. A copy of another one is refused: nothing would replace it.
    ///   - state: the state directory.
    ///   - replacing: whether the copies that it has are replaced; otherwise they are refused.
    ///   - disk: the disk.
    init(
        _ path: String, for names: [String], of state: String, replacing: Bool, _ disk: Disk
    ) throws(BackupFailure) {
        self.path = path
        self.disk = disk
        let error = disk.makeDirectory(path, 0o700)
        guard error == 0 || error == EEXIST else { throw .unwritable(.file(call: "mkdir", path: path, errno: error)) }
        // Its name goes to the disk, if the directory that it is in may be opened.
        if error == 0 { _ = disk.sync(path + "/..") }
        try Self.checkAccess(path, disk)
        do throws(FileLock.Failure) {
            lock = try disk.lock(path + "/.lock", .zero)
        } catch {
            switch error {
            case .taken: throw .busy(path: path)
            case .system(let call, let errno): throw .unwritable(.file(call: call, path: path + "/.lock", errno: errno))
            }
        }
        self.names = try Self.all(names, in: path, disk)
        let leftover = self.names.map(partial).first { disk.size($0) != nil }
        for name in self.names {
            let copy = path + "/" + name
            for neighbor in Self.neighbors where disk.size(copy + neighbor) != nil {
                throw .inUse(path: copy + neighbor)
            }
            guard disk.size(copy) != nil else { continue }
            guard replacing else { throw leftover.map { .incomplete(path: $0) } ?? .exists(path: copy) }
            guard names.contains(name) else { throw .onlyCopy(path: copy, state: state) }
        }
    }

    /// The databases, the indices of which the directory has a copy or a part of one, and `names`.
    private static func all(_ names: [String], in path: String, _ disk: Disk) throws(BackupFailure) -> [String] {
        let found: [String]
        do throws(DiskFailure) {
            found = try disk.names(path + "/.")
        } catch {
            throw .unwritable(.file(call: error.call, path: path, errno: error.errno))
        }
        let known = StateBackup.databases.map(\.name)
        let indices = found.map { $0.hasSuffix(partialSuffix) ? String($0.dropLast(partialSuffix.count)) : $0 }
            .filter(StateBackup.isIndex)
        return known + Set(names + indices).subtracting(known).sorted()
    }

    /// Throws if others could put their own files in the place of the copies: those are opened by name while they are
    /// made, and a restored copy is the state of the daemon.
    private static func checkAccess(_ path: String, _ disk: Disk) throws(BackupFailure) {
        let access: FileAccess
        do throws(DiskFailure) {
            // Of the directory itself; the path may be a link.
            access = try disk.access(path + "/.")
        } catch {
            throw .unwritable(.file(call: error.call, path: path, errno: error.errno))
        }
        let user = disk.user()
        // Root may do all of that in any case.
        guard access.owner == user || access.owner == 0 else {
            throw .foreignDirectory(path: path, owner: access.owner, user: user)
        }
        guard !access.isSharedForWriting else { throw .sharedDirectory(path: path, mode: access.mode) }
    }

    /// Whether a path is that of a directory or of something inside it, which need not exist.
    static func isInside(_ path: String, _ directory: String, _ disk: Disk) -> Bool {
        // The file need not exist in either, but the directories have to, to have a path without links.
        guard let outer = disk.resolve(directory + "/x") else { return false }
        var path = path
        while path.count > 1, path.last == "/" { path.removeLast() }
        let inner = disk.resolve(path + "/x") ?? disk.resolve(path).map { $0 + "/x" }
        return inner?.hasPrefix(outer.dropLast()) ?? false
    }

    private static let partialSuffix = "-partial"
    private func partial(_ name: String) -> String { path + "/" + name + Self.partialSuffix }

    /// Makes an empty file for a copy, with mode 0600.
    ///
    /// - Returns: its path.
    func makePartial(_ name: String) throws(BackupFailure) -> String {
        let partial = partial(name)
        // Those of a backup that was killed.
        for suffix in Self.remains {
            let error = disk.remove(partial + suffix)
            guard error == 0 else { throw .unwritable(.file(call: "unlink", path: partial + suffix, errno: error)) }
        }
        let error = disk.makeNewFile(partial, 0o600)
        guard error == 0 else { throw .unwritable(.file(call: "open", path: partial, errno: error)) }
        return partial
    }

    /// Gives the complete copies their names, and returns when that is on the disk.
    ///
    /// If only some of them get theirs, the others keep their partial names, which show that the copies are of two
    /// backups.
    func publish(_ names: [String]) throws(BackupFailure) -> [StateBackup.Copy] {
        var copies: [StateBackup.Copy] = []
        for name in names {
            let copy = path + "/" + name
            let error = disk.rename(partial(name), copy)
            guard error == 0 else {
                if copies.isEmpty { discard() }
                throw .unwritable(.file(call: "rename", path: partial(name), errno: error))
            }
            copies.append(StateBackup.Copy(path: copy, bytes: disk.size(copy) ?? 0))
        }
        // Those that an earlier backup has left of other files.
        discard()
        // `sync` follows no link; the directory may be one.
        let error = disk.sync(path + "/.")
        guard error == 0 else { throw .unwritable(.file(call: "fsync", path: path, errno: error)) }
        return copies
    }

    /// The copies that are not complete, and what SQLite may have beside them.
    var partialFiles: [String] {
        names.flatMap { name in Self.remains.map { partial(name) + $0 } }
    }

    /// Removes the copies that are not complete.
    func discard() {
        for path in partialFiles { _ = disk.remove(path) }
    }
}
