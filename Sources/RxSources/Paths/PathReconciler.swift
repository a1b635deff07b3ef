internal import RxTime

/// Looks at the names that are dirty, and makes the index agree with them. Hints state when to look and what may have
/// happened; the file itself decides.
///
/// Whatever happens after a look causes another hint. So once the kernel's queue is empty and nothing is dirty, the
/// index is right. A name is looked at in its directory, which is opened and identified before: if it is elsewhere by
/// now, the name waits until the events of that have been read.
final class PathReconciler {
    typealias ID = PathEntry.ID

    private let index: PathIndex
    private let dirty: DirtyPaths
    private let moves: PathMoves
    private let directories: PathDirectories
    private let contents: PathContents
    private let recursive: Bool
    /// Scans a directory later, perhaps with the known ones below.
    var scan: (_ directory: ID, _ below: Bool) -> Void = { _, _ in }
    var report: (PathTrouble) -> Void = { _ in }
    /// The root is another directory by now.
    var rootIsElsewhere: () -> Void = {}

    private var tree: PathTree { index.tree }

    init(
        index: PathIndex, dirty: DirtyPaths, moves: PathMoves, directories: PathDirectories, contents: PathContents,
        recursive: Bool
    ) {
        self.index = index
        self.dirty = dirty
        self.moves = moves
        self.directories = directories
        self.contents = contents
        self.recursive = recursive
    }

    /// Looks at a dirty name.
    func look(_ id: ID, at time: Instant) {
        let parent = tree[id].parent
        switch directories.open(parent) {
        case .opened(let directory):
            do throws(FileError) {
                look(id, try directory.status(of: tree.name(id)), in: directory, time)
            } catch {
                if FileError.missing.contains(error.errno) { missing(id, time) } else { giveUp(id, error) }
            }
        case .elsewhere:
            if parent == PathEntry.root { rootIsElsewhere() } else { dirty.mark(parent, []) }
            dirty.wait(id)
        case .failed(let error): giveUp(id, error)
        }
    }

    private func look(_ id: ID, _ status: FileStatus, in directory: any OpenDirectory, _ time: Instant) {
        let isDirectory = status.kind == .directory
        guard index.keeps(tree[id].parent, tree.name(id), isDirectory: isDirectory) else {
            moves.release(id)
            return missing(id, time)
        }
        if tree[id].isCandidate {
            if isDirectory { arrive(id, status, in: directory, time) } else { arrive(id, status, time) }
        } else if holds(id, status) {
            moves.release(id)
            if isDirectory { refresh(id, time) } else { contents.compare(id, status, at: time) }
        } else {
            replaced(id, status, time)
        }
    }

    private func holds(_ id: ID, _ status: FileStatus) -> Bool {
        tree[id].isDirectory == (status.kind == .directory)
            && tree[id].stamp.isSameFile(as: PathEntry.Stamp(status, hasContent: false))
    }

    private func hasExpired(_ id: ID) -> Bool { tree[id].hints.contains(.expired) }

    // MARK: Nothing is there

    private func missing(_ id: ID, _ time: Instant) {
        // It is known where it went, or will be soon.
        if tree[id].flags.contains(.departed) { return }
        guard !tree[id].hints.isDisjoint(with: .absence) else { return dirty.wait(id) }
        if tree[id].isCandidate {
            // Moved on: the event of that needs what is known of the name.
            if moves.origin(of: id) != nil, !hasExpired(id) { return dirty.wait(id) }
            index.release(id)
        } else {
            doom(id, time)
        }
    }

    private func doom(_ id: ID, _ time: Instant) {
        index.doom(id, at: time)
        dirty.wake()
    }

    private func giveUp(_ id: ID, _ error: FileError) {
        let directory = tree[id].parent
        tree[directory].flags.insert(.unreadable)
        report(.unreadable(WatchReason.unreadable(index.absolute(index.relative(directory)), error)))
        moves.release(id)
        if tree[id].isCandidate { index.release(id) } else { tree[id].hints = [] }
    }

    // MARK: Something else is there

    private func replaced(_ id: ID, _ status: FileStatus, _ time: Instant) {
        guard !tree[id].flags.contains(.departed) || hasExpired(id) else {
            // Its own move comes first. Of entries that have changed places, one is not moved but replaced.
            return dirty.wait(id)
        }
        guard !tree[id].hints.isDisjoint(with: .replacement) else { return dirty.wait(id) }
        guard !tree[id].isDirectory, status.kind != .directory else { return succeed(id, time) }
        moves.disown(id)
        switch moves.origin(of: id) {
        case .entry(let origin) where holds(origin, status): move(origin, to: id, status, time)
        case .path(let path) where index.emitsMove(from: path, to: id):
            moves.release(id)
            contents.take(id, status, movedFrom: path, at: time)
        case .entry, .path, nil:
            moves.release(id)
            contents.replace(id, status, at: time)
        }
    }

    /// Removes an entry, whose name is another one's.
    private func succeed(_ id: ID, _ time: Instant) {
        let hints = tree[id].hints
        let parent = tree[id].parent
        let name = Array(tree.name(id))
        moves.disown(id)
        doom(id, time)
        guard let candidate = name.withUnsafeBytes({ index.addCandidate(parent, $0) }) else { return }
        moves.transfer(from: id, to: candidate)
        dirty.mark(candidate, hints)
    }

    // MARK: Something new is there

    private func arrive(_ id: ID, _ status: FileStatus, _ time: Instant) {
        switch moves.origin(of: id) {
        case .entry(let origin):
            if holds(origin, status) { return move(origin, to: id, status, time) }
            // Replaced since, or moved on.
            guard hasExpired(id) else { return dirty.wait(id) }
            moves.release(id)
            contents.appear(id, status, at: time)
        case .path(let path) where index.emitsMove(from: path, to: id):
            moves.release(id)
            contents.appear(id, status, movedFrom: path, at: time)
        case .path, nil:
            moves.release(id)
            contents.appear(id, status, at: time)
        }
    }

    private func arrive(_ id: ID, _ status: FileStatus, in directory: any OpenDirectory, _ time: Instant) {
        var origin: ID?
        if case .entry(let claimed) = moves.origin(of: id), holds(claimed, status) { origin = claimed }
        if recursive {
            do throws(FileError) {
                let opened = try directory.directory(tree.name(id))
                guard try opened.status.isSameFile(as: status) else { return dirty.wait(id) }
                origin = try directories.watch(id, opened) ?? origin
            } catch {
                // What remains is reported by the scan.
                if FileError.missing.contains(error.errno), !hasExpired(id) { return dirty.wait(id) }
            }
        }
        if let origin {
            // A directory that contains itself: its path is out of date, or it is mounted there again.
            guard !tree.isBelow(id, origin) else { return hasExpired(id) ? index.release(id) : dirty.wait(id) }
            return move(origin, to: id, status, time)
        }
        let from: [UInt8]? =
            if case .path(let path) = moves.origin(of: id), index.emitsMove(from: path, to: id) { path } else { nil }
        moves.release(id)
        if contents.appear(id, status, movedFrom: from, at: time), recursive { scan(id, false) }
    }

    // MARK: Known entries

    /// - Parameter slot: a candidate, or a file.
    private func move(_ id: ID, to slot: ID, _ status: FileStatus, _ time: Instant) {
        let arrived = tree[slot].hints
        let (parent, name, left) = (tree[id].parent, Array(tree.name(id)), tree[id].hints)
        moves.fulfil(id)
        index.move(id, to: slot, at: time)
        tree[id].hints = arrived.subtracting(.arrived)
        // What was there is known, and what came later was only noted.
        if !left.isEmpty, let candidate = name.withUnsafeBytes({ index.addCandidate(parent, $0) }) {
            dirty.mark(candidate, left)
        }
        if tree[id].isDirectory {
            if index.filter.dependsOnDirectories { scan(id, true) }
            refresh(id, time)
            dirty.wake()
        } else {
            contents.compare(id, status, at: time)
        }
    }

    private func refresh(_ id: ID, _ time: Instant) {
        let hints = tree[id].hints
        tree[id].hints = []
        contents.note(id, hints, at: time)
        guard recursive else { return }
        let mustScan =
            hints.contains(.attributes) && tree[id].flags.contains(.unreadable)
            || !directories.isWatched(id) && !tree[id].flags.contains(.unwatched)
            || tree[id].flags.contains(.scanWanted)
        if mustScan { scan(id, false) }
    }
}
