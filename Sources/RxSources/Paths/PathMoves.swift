/// Joins the halves of moves, and moves entries.
final class PathMoves {
    typealias ID = PathEntry.ID

    private let index: PathIndex
    private let reconciler: PathReconciler
    private let kernel: any FileKernel
    private let queueScan: (_ directory: ID, _ deep: Bool) -> Void
    private var held = HeldMoves()

    private var tree: PathTree { index.tree }

    init(
        index: PathIndex, reconciler: PathReconciler, kernel: any FileKernel,
        queueScan: @escaping (_ directory: ID, _ deep: Bool) -> Void
    ) {
        self.index = index
        self.reconciler = reconciler
        self.kernel = kernel
        self.queueScan = queueScan
    }

    /// When the next half expires.
    var deadline: Duration? { held.deadline }

    /// A name was moved away: its entry waits, and its name is free.
    func left(_ directory: ID, _ name: UnsafeRawBufferPointer, cookie: UInt32) {
        let path = index.relative(directory, name)
        let id = tree.find(directory, name).flatMap { tree[$0].isAlive ? $0 : nil }
        if let id {
            tree.detachName(id)
            tree[id].flags.insert(.held)
        }
        held.hold(cookie, id, id.map { tree[$0].stamp } ?? PathEntry.Stamp(), path, now: kernel.uptime)
    }

    /// A name was moved in, perhaps from a path that was left.
    func arrived(_ directory: ID, _ name: UnsafeRawBufferPointer, cookie: UInt32) {
        guard let move = held.take(cookie) else {
            reconciler.look(directory, name, .arrived)
            return
        }
        guard let id = entry(of: move) else {
            reconciler.look(directory, name, .movedIn(from: move.path))
            return
        }
        let isDirectory = tree[id].isDirectory
        guard index.filter.keeps(index.relative(directory, name)[...], isDirectory: isDirectory),
            !isBelow(directory, id)
        else {
            finish(move)
            reconciler.look(directory, name, .arrived)
            return
        }
        if let old = tree.find(directory, name), old != id {
            index.replace(old, by: id)
            // An index that lags behind may have had the one below the other.
            guard entry(of: move) != nil, tree[directory].isAlive else {
                if let id = entry(of: move) { drop(id) }
                return queueScan(PathEntry.root, true)
            }
        }
        let path = index.move(id, name, to: directory)
        if isDirectory { movedDirectory(id, from: path) }
        verify(id, directory, name)
    }

    /// Ends waits that are due: what was moved away is gone.
    func expire() {
        for move in held.expired(at: kernel.uptime) { finish(move) }
    }

    /// Ends all waits.
    func expireAll() {
        for move in held.takeAll() { finish(move) }
    }

    /// Ends all waits as if nothing had been moved; a scan follows.
    func undoAll() {
        for move in held.takeAll() {
            guard let id = entry(of: move) else { continue }
            tree[id].flags.remove(.held)
            if tree.find(tree[id].parent, tree.name(id)) == nil { tree.attachName(id) } else { drop(id) }
        }
    }

    private func finish(_ move: HeldMoves.Move) {
        guard let id = entry(of: move) else { return }
        tree[id].flags.remove(.held)
        guard tree.find(tree[id].parent, tree.name(id)) == nil else { return drop(id) }
        tree.attachName(id)
        index.remove(id)
    }

    /// Removes an entry whose name is another one's by now.
    private func drop(_ id: ID) {
        tree[id].flags.remove(.held)
        if let other = tree.find(tree[id].parent, tree.name(id)) {
            index.replace(id, by: other)
        } else {
            index.remove(id)
        }
    }

    /// The entry of a move, unless it was removed in the meantime.
    private func entry(of move: HeldMoves.Move) -> ID? {
        guard let id = move.entry, tree.isUsed(id), tree[id].isAlive, tree[id].flags.contains(.held),
            tree[id].stamp.isSameFile(as: move.stamp)
        else { return nil }
        return id
    }

    private func isBelow(_ directory: ID, _ id: ID) -> Bool {
        var ancestor = directory
        while ancestor != PathEntry.none, ancestor != PathEntry.root {
            if ancestor == id { return true }
            ancestor = tree[ancestor].parent
        }
        return false
    }

    /// Events below the directory may have been handled while its path was out of date, so it is scanned. If its own
    /// move is not emitted, those of the files below it are.
    private func movedDirectory(_ id: ID, from path: [UInt8]) {
        queueScan(id, true)
        let isEmitted = index.emitsMove(to: index.relative(id))
        guard !isEmitted || index.filter.dependsOnDirectories else { return }
        relocate(below: id, from: path, marking: !isEmitted)
    }

    private func relocate(below directory: ID, from path: [UInt8], marking: Bool) {
        tree.forEachChild(directory) { child in
            guard tree[child].isAlive else { return }
            let old = path + [UInt8(ascii: "/")] + tree.name(child)
            let isDirectory = tree[child].isDirectory
            if isDirectory { relocate(below: child, from: old, marking: marking) }
            if !index.filter.keeps(index.relative(child)[...], isDirectory: isDirectory) {
                index.vacate(child, old)
            } else if marking {
                index.markMove(child, from: old)
            }
        }
    }

    private func verify(_ id: ID, _ directory: ID, _ name: UnsafeRawBufferPointer) {
        guard let status = try? kernel.status(index.absolute(index.relative(id)), following: false) else { return }
        let stamp = PathEntry.Stamp(status, hasContent: true)
        guard stamp.isSameFile(as: tree[id].stamp), (status.kind == .directory) == tree[id].isDirectory else {
            reconciler.look(directory, name, .check, known: status)
            return
        }
        // The event of a write came when the name had already gone.
        if tree[id].pending.contains(.written), tree[id].stamp.modified == PathEntry.Stamp.unknown {
            tree[id].stamp = stamp
        }
    }
}
