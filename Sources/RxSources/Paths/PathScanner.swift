internal import Glibc

/// Scans directories one after another, in portions. Each is watched first, so nothing in between is lost.
final class PathScanner {
    typealias ID = PathEntry.ID

    /// Entries of a portion: some milliseconds.
    private static let portion = 512

    /// What a scan could not do.
    enum Trouble {
        case noWatch(String)
        case unreadable(String)
    }

    private struct Scan {
        let directory: ID
        let isDeep: Bool
        /// Nil at the end of the directory.
        var listing: (any DirectoryListing)?
        /// Entries that were not listed.
        var unseen: [ID] = []
    }

    private let index: PathIndex
    private let kernel: any FileKernel
    private let watches: DirectoryWatches
    private let recursive: Bool
    private unowned let reconciler: PathReconciler
    private let report: (Trouble) -> Void
    private var queue: [ID] = []
    private var head = 0
    private var current: Scan?

    private var tree: PathTree { index.tree }

    init(
        index: PathIndex, kernel: any FileKernel, watches: DirectoryWatches, recursive: Bool,
        reconciler: PathReconciler, report: @escaping (Trouble) -> Void
    ) {
        self.index = index
        self.kernel = kernel
        self.watches = watches
        self.recursive = recursive
        self.reconciler = reconciler
        self.report = report
    }

    var isIdle: Bool { current == nil && head == queue.count }

    /// Scans a directory later. `deep`: with the known directories below; new ones are scanned in any case.
    func add(_ directory: ID, deep: Bool) {
        if deep { tree[directory].flags.insert(.scanDeep) }
        guard !tree[directory].flags.contains(.scanQueued) else { return }
        tree[directory].flags.insert(.scanQueued)
        queue.append(directory)
    }

    /// Forgets all scans.
    func cancel() {
        if let current, tree.isUsed(current.directory) { tree[current.directory].flags.remove(.scanning) }
        current = nil
        for id in queue[head...] where tree.isUsed(id) { tree[id].flags.subtract([.scanQueued, .scanDeep]) }
        (queue, head) = ([], 0)
    }

    /// Takes one portion.
    func step() {
        var left = Self.portion
        while left > 0, !isIdle {
            left -= 1
            guard let scan = current else {
                begin()
                continue
            }
            // Removed in the meantime; its id may be another entry's.
            guard tree.isUsed(scan.directory), tree[scan.directory].flags.contains(.scanning) else {
                current = nil
                continue
            }
            if scan.listing != nil { listNext() } else { checkNext() }
        }
    }

    private func begin() {
        let directory = queue[head]
        head += 1
        if head == queue.count { (queue, head) = ([], 0) }
        guard tree.isUsed(directory), tree[directory].isAlive, tree[directory].flags.contains(.scanQueued) else {
            return
        }
        let isDeep = tree[directory].flags.contains(.scanDeep)
        tree[directory].flags.subtract([.scanQueued, .scanDeep, .unreadable, .unwatched])
        let path = index.absolute(index.relative(directory))
        do throws(FileError) {
            try watches.add(directory, path)
        } catch {
            guard error.errno != ENOENT, error.errno != ENOTDIR else { return }
            // Without a watch it is scanned all the same, and again later.
            tree[directory].flags.insert(.unwatched)
            if error.errno != EACCES { report(.noWatch(WatchReason.noWatch(path, error))) }
        }
        do throws(FileError) {
            let listing = try kernel.list(path, following: directory == PathEntry.root)
            tree.forEachChild(directory) { tree[$0].flags.remove(.seen) }
            tree[directory].flags.insert(.scanning)
            current = Scan(directory: directory, isDeep: isDeep, listing: listing)
        } catch {
            guard error.errno != ENOENT, error.errno != ENOTDIR, error.errno != ELOOP else { return }
            tree[directory].flags.insert(.unreadable)
            report(.unreadable(WatchReason.unreadable(path, error)))
        }
    }

    private func listNext() {
        guard let scan = current, let listing = scan.listing else { return }
        let goesOn = listing.next { name, status in
            guard let status, let id = reconciler.look(scan.directory, name, .found, known: status) else { return }
            tree[id].flags.insert(.seen)
            descend(id, scan)
        }
        guard !goesOn else { return }
        current?.listing = nil
        tree.forEachChild(scan.directory) { child in
            if tree[child].flags.contains(.seen) {
                tree[child].flags.remove(.seen)
            } else if tree[child].isAlive, !tree[child].flags.contains(.held) {
                current?.unseen.append(child)
            }
        }
    }

    /// A name that was not listed is gone, unless it is new.
    private func checkNext() {
        guard let scan = current, let id = current?.unseen.popLast() else {
            if let current { tree[current.directory].flags.remove(.scanning) }
            current = nil
            return
        }
        guard tree.isUsed(id), tree[id].isAlive, tree[id].parent == scan.directory, !tree[id].flags.contains(.held)
        else { return }
        let name = Array(tree.name(id))
        name.withUnsafeBytes {
            if let id = reconciler.look(scan.directory, $0, .check) { descend(id, scan) }
        }
    }

    private func descend(_ id: ID, _ scan: Scan) {
        if scan.isDeep, recursive, tree[id].isDirectory { add(id, deep: true) }
    }
}
