internal import RxTime

/// The index: what is known of the files below the root, on disk what is settled of it, and what is pending.
///
/// Its methods are the changes. Each one marks what it means for the receiver, and saves the entry at once if that is
/// nothing.
final class PathIndex {
    typealias ID = PathEntry.ID

    let tree = PathTree()
    let pending: PendingPaths
    let log: IndexLog
    let filter: PathFilter
    private let root: RawPath
    private let watches: DirectoryWatches
    private let selected: PathEntry.Pending
    private let most: Int
    private let time: () -> Instant
    /// An entry could not be added, because there are as many as allowed.
    private(set) var isFull = false

    init(
        options: PathOptions, root: RawPath, log: IndexLog, watches: DirectoryWatches, time: @escaping () -> Instant
    ) {
        self.root = root
        self.log = log
        self.watches = watches
        self.time = time
        filter = PathFilter(options)
        most = options.most
        var selected: PathEntry.Pending = []
        for event in options.events {
            switch event {
            case .created: selected.insert(.created)
            case .written: selected.insert(.written)
            case .moved: selected.insert(.moved)
            case .removed: selected.insert(.removed)
            case .attributes: selected.insert(.attributes)
            }
        }
        self.selected = selected
        pending = PendingPaths(tree: tree, root: root) { [filter] path in
            selected.contains(.written) && filter.emits(path[...])
        }
    }

    // MARK: Paths

    /// The path of an entry, relative to the root.
    func relative(_ id: ID) -> [UInt8] {
        var path: [UInt8] = []
        tree.appendPath(id, to: &path)
        return path
    }

    func relative(_ directory: ID, _ name: UnsafeRawBufferPointer) -> [UInt8] {
        var path = relative(directory)
        if !path.isEmpty { path.append(UInt8(ascii: "/")) }
        path.append(contentsOf: name)
        return path
    }

    func absolute(_ relative: [UInt8]) -> RawPath { relative.isEmpty ? root : root.appending(component: relative) }

    /// Whether moves of this path are emitted.
    func emitsMove(to path: [UInt8]) -> Bool { selected.contains(.moved) && filter.emits(path[...]) }

    // MARK: Changes

    /// Marks what was loaded as gone as removed.
    func removeLoaded() {
        for id in tree.ids where tree[id].flags.contains(.gone) {
            if selected.contains(.removed), filter.emits(relative(id)[...]) { pending.add(id, .removed, at: time()) }
        }
        for id in tree.ids { releaseIfDone(id) }
    }

    /// Marks what happened to an entry.
    func mark(_ id: ID, _ bits: PathEntry.Pending) {
        let wanted = bits.intersection(selected)
        if wanted.isEmpty || !filter.isEmpty && !filter.emits(relative(id)[...]) {
            saveIfQuiet(id)
        } else {
            pending.add(id, wanted, at: time())
        }
    }

    /// Adds an entry; nil if there are too many.
    func add(
        _ name: UnsafeRawBufferPointer, to directory: ID, _ stamp: PathEntry.Stamp, isDirectory: Bool
    ) -> ID? {
        let id: ID
        let gone = tree.find(directory, name)
        // The removal of a directory and a file of the same name are two things.
        if let gone, tree[gone].isDirectory != isDirectory { tree.detachName(gone) }
        if let gone, tree[gone].isDirectory == isDirectory {
            id = gone
            _ = pending.cancel(id)
            tree[id].flags.remove(.gone)
        } else {
            guard tree.count <= most else {
                isFull = true
                return nil
            }
            id = tree.add(name, to: directory)
        }
        if isDirectory { tree[id].flags.insert(.directory) }
        tree[id].stamp = stamp
        return id
    }

    /// Removes an entry that is gone from the file system, with what is below it.
    func remove(_ id: ID) {
        // Children first, since the receiver may know them below another path of this directory.
        tree.forEachChild(id) { if tree[$0].isAlive { remove($0) } }
        watches.remove(id)
        let known = pending.hasMoves ? pending.knownPath(id) : nil
        _ = pending.cancel(id)
        tree[id].flags = tree[id].flags.intersection([.used, .directory, .queued, .emitted]).union(.gone)
        guard selected.contains(.removed) else { return releaseIfDone(id) }
        if let known, known != relative(id), filter.emits(known[...]) { pending.vacate(id, known, at: time()) }
        if filter.isEmpty || filter.emits(relative(id)[...]) { pending.add(id, .removed, at: time()) }
        releaseIfDone(id)
    }

    /// Removes an entry whose path is not kept any more, and reports that it has left another path.
    func vacate(_ id: ID, _ path: [UInt8]) {
        tree.forEachChild(id) { if tree[$0].isAlive { remove($0) } }
        watches.remove(id)
        _ = pending.cancel(id)
        tree[id].flags = tree[id].flags.intersection([.used, .directory, .queued, .emitted]).union(.gone)
        if selected.contains(.removed), filter.emits(path[...]) { pending.vacate(id, path, at: time()) }
        releaseIfDone(id)
    }

    /// An entry has come to a path where another one was: what the other one owes to the receiver is owed by it.
    func replace(_ old: ID, by id: ID) {
        // The removal of a directory and a file of the same name are two things.
        if tree[old].isDirectory != tree[id].isDirectory {
            if tree[old].isAlive { remove(old) }
            if tree.isUsed(old) { tree.detachName(old) }
            return
        }
        if tree[old].isAlive { tree.forEachChild(old) { if tree[$0].isAlive { remove($0) } } }
        watches.remove(old)
        let from = pending.cancel(old)
        pending.inherit(id, from: old, at: time())
        if let from, selected.contains(.removed) { pending.vacate(id, from, at: time()) }
        tree.detachName(old)
        tree[old].flags = tree[old].flags.intersection([.used, .directory, .queued, .emitted]).union(.gone)
        releaseIfDone(old)
    }

    /// Gives an entry another path, at which there is no entry.
    ///
    /// - Returns: its former path, as the receiver knows it.
    func move(_ id: ID, _ name: UnsafeRawBufferPointer, to directory: ID) -> [UInt8] {
        let path = pending.knownPath(id)
        tree.move(id, name, to: directory)
        tree[id].flags.remove(.held)
        markMove(id, from: path)
        return path
    }

    /// Marks that an entry was moved from another path.
    func markMove(_ id: ID, from path: [UInt8]) {
        if emitsMove(to: relative(id)) {
            pending.move(id, from: path, at: time())
        } else if selected.contains(.moved), selected.contains(.removed), filter.emits(path[...]) {
            // It is not emitted any more.
            pending.vacate(id, path, at: time())
        }
        saveIfQuiet(id)
    }

    /// The receiver has taken the batch: its entries are saved, unless they have changed again.
    func settle() {
        // One that is released because of another one's is gone here.
        for id in pending.settle() where tree.isUsed(id) {
            saveIfQuiet(id)
            releaseIfDone(id)
        }
    }

    /// Forgets that the index was full. Returns whether it was, and has room for a tenth more.
    func hasRoomAgain() -> Bool {
        guard isFull, tree.count <= most - most / 10 else { return false }
        isFull = false
        return true
    }

    private func saveIfQuiet(_ id: ID) {
        guard tree[id].isAlive, tree[id].pending.isEmpty, !tree[id].flags.contains(.emitted), id != PathEntry.root
        else { return }
        log.save(id, in: tree)
    }

    /// Releases an entry that is gone, once nothing is owed for it or for what was below it.
    private func releaseIfDone(_ id: ID) {
        guard tree.isUsed(id), tree[id].flags.isDisjoint(with: [.emitted]), tree[id].flags.contains(.gone),
            tree[id].pending.isEmpty, tree[id].firstChild == PathEntry.none
        else { return }
        let parent = tree[id].parent
        log.remove(id)
        tree.release(id)
        if parent != PathEntry.none { releaseIfDone(parent) }
    }
}
