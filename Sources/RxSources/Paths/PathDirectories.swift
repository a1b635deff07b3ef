internal import Glibc

/// Opens the directories of the index and watches them. A directory is what its entry claims to be, or is not opened:
/// while events are unread, a path may lead elsewhere.
final class PathDirectories {
    typealias ID = PathEntry.ID

    /// What is needed of a directory, whatever is emitted.
    private static let events: WatchEvents = [
        .written, .movedFrom, .movedTo, .created, .removed, .removedItself, .movedItself, .attributes,
    ]

    private let index: PathIndex
    private let hub: WatchHub
    private unowned let user: any WatchUser
    private var directories: [Int32: ID] = [:]
    private var watches: [ID: Int32] = [:]
    /// The last one that was opened, since neighbors are looked at one after the other.
    private var last: (id: ID, directory: any OpenDirectory)?

    /// How a directory was found.
    enum Finding {
        case opened(any OpenDirectory)
        /// Its path leads elsewhere or nowhere.
        case elsewhere
        case failed(FileError)
    }

    init(index: PathIndex, hub: WatchHub, user: any WatchUser) {
        self.index = index
        self.hub = hub
        self.user = user
    }

    /// The entry of the directory that a watch belongs to.
    func directory(of watch: Int32) -> ID? { directories[watch] }

    func isWatched(_ id: ID) -> Bool { watches[id] != nil }

    /// Opens the directory of an entry.
    func open(_ id: ID) -> Finding {
        if let last, last.id == id { return .opened(last.directory) }
        last = nil
        do throws(FileError) {
            let path = index.absolute(index.relative(id))
            let opened = try hub.kernel.directory(path, following: id == PathEntry.root)
            guard index.tree[id].stamp.isSameFile(as: PathEntry.Stamp(try opened.status, hasContent: false)) else {
                return .elsewhere
            }
            last = (id, opened)
            return .opened(opened)
        } catch {
            return FileError.missing.contains(error.errno) ? .elsewhere : .failed(error)
        }
    }

    /// Closes what is open. Called before anything else may happen to it.
    func rest() { last = nil }

    /// Watches a directory, unless it is watched for another entry, which is returned: the kernel has one watch for
    /// each directory, wherever it is.
    func watch(_ id: ID, _ directory: any OpenDirectory) throws(FileError) -> ID? {
        let watch = try hub.watch(directory.watchPath, Self.events, for: user)
        if let other = directories[watch], other != id { return other }
        if let old = watches[id], old != watch { drop(old) }
        directories[watch] = id
        watches[id] = watch
        return nil
    }

    /// Forgets an entry that is released, with its watch.
    func forget(_ id: ID) {
        if last?.id == id { last = nil }
        if let watch = watches.removeValue(forKey: id) { drop(watch) }
    }

    /// The kernel has removed a watch, and with it, as a rule, the directory.
    func ended(_ watch: Int32) {
        guard let id = directories.removeValue(forKey: watch) else { return }
        if last?.id == id { last = nil }
        watches[id] = nil
    }

    func removeAll() {
        for watch in directories.keys { hub.unwatch(watch, for: user) }
        (directories, watches, last) = ([:], [:], nil)
    }

    private func drop(_ watch: Int32) {
        directories[watch] = nil
        hub.unwatch(watch, for: user)
    }
}

extension FileError {
    /// Errors of a path that leads nowhere.
    static let missing: Set<Int32> = [ENOENT, ENOTDIR, ELOOP, ESTALE]
}
