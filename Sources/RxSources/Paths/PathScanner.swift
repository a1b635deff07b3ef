internal import Glibc

/// What cannot be watched or read.
enum PathTrouble {
    case noWatch(String)
    case unreadable(String)
}

/// Scans directories one after another, in portions: marks each name in them that is not as the index has it. Each is
/// watched first, so nothing in between is lost.
final class PathScanner {
    typealias ID = PathEntry.ID

    /// Names of a portion: some milliseconds.
    private static let portion = 512
    /// With more dirty names than this, no other directory is begun: they are looked at first, while their directory
    /// is known to be where it is.
    private static let mostDirty = 4096

    private struct Scan {
        let directory: ID
        let listing: any DirectoryListing
    }

    private let index: PathIndex
    private let dirty: DirtyPaths
    private let directories: PathDirectories
    private let recursive: Bool
    var report: (PathTrouble) -> Void = { _ in }
    private var queue: [ID] = []
    private var head = 0
    private var current: Scan?

    private var tree: PathTree { index.tree }

    init(index: PathIndex, dirty: DirtyPaths, directories: PathDirectories, recursive: Bool) {
        self.index = index
        self.dirty = dirty
        self.directories = directories
        self.recursive = recursive
    }

    var isIdle: Bool { current == nil && head == queue.count }
    /// Whether a step does something now.
    var isReady: Bool { current != nil || head < queue.count && dirty.count < Self.mostDirty }

    /// The root is another directory by now.
    var rootIsElsewhere: () -> Void = {}

    /// Scans a directory later. Directories that are found new are scanned, too.
    func add(_ directory: ID) {
        tree[directory].flags.insert(.scanWanted)
        guard !tree[directory].flags.contains(.scanQueued) else { return }
        tree[directory].flags.insert(.scanQueued)
        queue.append(directory)
    }

    /// Scans a directory and all known ones below it. Each of them is marked now: wherever it is moved meanwhile, it is
    /// scanned once.
    func addAll(below directory: ID) {
        add(directory)
        guard recursive else { return }
        if directory == PathEntry.root {
            for id in tree.ids where tree[id].isDirectory { add(id) }
        } else {
            tree.forEachChild(directory) { if tree[$0].isDirectory { addAll(below: $0) } }
        }
    }

    /// Forgets all scans.
    func cancel() { (queue, head, current) = ([], 0, nil) }

    /// Takes one portion.
    func step() {
        var left = Self.portion
        while left > 0, isReady {
            left -= 1
            guard let scan = current else {
                begin()
                continue
            }
            // Gone in the meantime; its id may be another entry's.
            guard tree.isUsed(scan.directory), tree[scan.directory].flags.contains(.scanning) else {
                current = nil
                continue
            }
            if !scan.listing.next({ name, status in listed(name, status, scan) }) { end(scan) }
        }
    }

    private func begin() {
        let id = queue[head]
        head += 1
        if head == queue.count { (queue, head) = ([], 0) }
        guard tree.isUsed(id), tree[id].flags.contains(.scanQueued) else { return }
        tree[id].flags.remove(.scanQueued)
        switch directories.open(id) {
        case .opened(let directory): begin(id, directory)
        case .failed(let error): unreadable(id, error)
        case .elsewhere:
            // Wanted all the same: once it is known where it is.
            if id == PathEntry.root { rootIsElsewhere() } else { dirty.mark(id, []) }
        }
    }

    private func begin(_ id: ID, _ directory: any OpenDirectory) {
        tree[id].flags.subtract([.scanWanted, .unreadable, .unwatched])
        do throws(FileError) {
            if let other = try directories.watch(id, directory) {
                // A directory that is mounted within itself is not entered there.
                guard !tree.isBelow(id, other) else { return }
                // The other one is where it was before it was moved here; or it is mounted at two places, of which the
                // index has one.
                directories.forget(other)
                tree[other].stamp = PathEntry.Stamp()
                dirty.mark(other, .removed)
                _ = try directories.watch(id, directory)
            }
        } catch {
            // Without a watch it is scanned all the same, and again later.
            tree[id].flags.insert(.unwatched)
            if error.errno != EACCES {
                report(.noWatch(WatchReason.noWatch(index.absolute(index.relative(id)), error)))
            }
        }
        do throws(FileError) {
            let listing = try directory.list()
            tree.forEachChild(id) { tree[$0].flags.remove(.listed) }
            tree[id].flags.insert(.scanning)
            current = Scan(directory: id, listing: listing)
        } catch {
            if !FileError.missing.contains(error.errno) { unreadable(id, error) }
        }
    }

    private func unreadable(_ id: ID, _ error: FileError) {
        tree[id].flags.insert(.unreadable)
        report(.unreadable(WatchReason.unreadable(index.absolute(index.relative(id)), error)))
    }

    private func listed(_ name: UnsafeRawBufferPointer, _ status: FileStatus?, _ scan: Scan) {
        // A name that has gone in the meantime has an event.
        guard let status else { return }
        let isDirectory = status.kind == .directory
        if let id = tree.find(scan.directory, name) {
            tree[id].flags.insert(.listed)
            if !isAsKnown(id, status) { dirty.mark(id, .scanned) }
        } else if index.keeps(scan.directory, name, isDirectory: isDirectory),
            let id = index.addCandidate(scan.directory, name)
        {
            tree[id].flags.insert(.listed)
            dirty.mark(id, .scanned)
        }
    }

    private func isAsKnown(_ id: ID, _ status: FileStatus) -> Bool {
        guard !tree[id].isCandidate, tree[id].isDirectory == (status.kind == .directory) else { return false }
        let stamp = PathEntry.Stamp(status, hasContent: true)
        return tree[id].isDirectory
            ? tree[id].stamp.isSameFile(as: stamp) && (!recursive || directories.isWatched(id))
            : tree[id].stamp == stamp
    }

    /// A name that was not listed is gone, or is new.
    private func end(_ scan: Scan) {
        tree[scan.directory].flags.remove(.scanning)
        tree.forEachChild(scan.directory) { child in
            if !tree[child].flags.contains(.listed), !tree[child].flags.contains(.doomed) {
                dirty.mark(child, .scanned)
            }
            tree[child].flags.remove(.listed)
        }
        current = nil
    }
}
