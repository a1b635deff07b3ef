internal import RxStreams
internal import RxTime

/// Changes that are not emitted yet, merged per entry, and the entries of the batch that is emitted but not settled.
///
/// An entry that changes again while it waits is emitted once for each kind of event, with its last path.
final class PendingPaths {
    typealias ID = PathEntry.ID

    /// Entries of a batch: enough that a batch costs little per element, few enough that it is settled soon.
    private static let batch = 256

    private let tree: PathTree
    private let root: RawPath
    /// Whether content that is written at a path is emitted.
    private let emitsWritten: (_ path: [UInt8]) -> Bool
    /// With the time of the first change. Bounded by the index, apart from entries that were released since.
    private var queue: [(id: ID, time: Instant)] = []
    private var head = 0
    /// Paths in here are those that the receiver knows, relative to the root: moves of directories that are emitted
    /// change them.
    private var moves = PendingMoves()
    private var vacated: [ID: [[UInt8]]] = [:]
    private var emitted: [ID] = []
    private(set) var isWaiting = false

    init(tree: PathTree, root: RawPath, emitsWritten: @escaping (_ path: [UInt8]) -> Bool) {
        self.tree = tree
        self.root = root
        self.emitsWritten = emitsWritten
    }

    /// Whether the receiver knows some entries at other paths.
    var hasMoves: Bool { !moves.isEmpty }

    /// Adds what an element will report of an entry.
    func add(_ id: ID, _ bits: PathEntry.Pending, at time: Instant) {
        tree[id].pending.formUnion(bits)
        guard !tree[id].flags.contains(.queued) else { return }
        tree[id].flags.insert(.queued)
        queue.append((id, time))
    }

    /// The path of an entry, relative to the root, as the receiver knows it.
    func knownPath(_ id: ID) -> [UInt8] {
        if let path = moves.from(id) { return path }
        guard id != PathEntry.root, tree[id].parent != PathEntry.none else { return [] }
        var path = knownPath(tree[id].parent)
        if !path.isEmpty { path.append(UInt8(ascii: "/")) }
        path.append(contentsOf: tree.name(id))
        return path
    }

    /// Adds that an entry was moved from a path that the receiver knows. Several moves are one, from the first path.
    func move(_ id: ID, from path: [UInt8], at time: Instant) {
        moves.add(id, from: path, isDirectory: tree[id].isDirectory)
        add(id, .moved, at: time)
    }

    /// Adds that an entry has left a path, relative to the root.
    func vacate(_ id: ID, _ path: [UInt8], at time: Instant) {
        vacated[id, default: []].append(path)
        add(id, .vacated, at: time)
    }

    /// Forgets what was pending of an entry but the paths that it has left.
    ///
    /// - Returns: the path from which a move is pending, if the receiver knows it.
    func cancel(_ id: ID) -> [UInt8]? {
        let isKnown = !tree[id].pending.contains(.created)
        tree[id].pending.formIntersection(.vacated)
        let path = moves.remove(id)
        return isKnown ? path : nil
    }

    /// Passes on the paths that one entry has left to another, which replaces it.
    func inherit(_ id: ID, from old: ID, at time: Instant) {
        tree[old].pending = []
        for path in vacated.removeValue(forKey: old) ?? [] { vacate(id, path, at: time) }
    }

    /// The next batch; empty if there is none, or if one is not settled.
    ///
    /// Moves of directories come first: the paths of all other elements are those after them.
    func next(at now: Instant) -> [SourceElement] {
        guard !isWaiting else { return [] }
        var elements: [SourceElement] = []
        while emitted.count < Self.batch, let id = moves.firstDirectory {
            emit(id, head < queue.count ? queue[head].time : now, [], &elements)
            // It is gone from there, even if it has nothing to emit.
            _ = moves.remove(id)
        }
        while emitted.count < Self.batch, head < queue.count {
            let (id, time) = queue[head]
            head += 1
            emit(id, time, [], &elements)
        }
        // Amortized: each removal follows as many steps.
        if head == queue.count || head > 4096 && head > queue.count / 2 {
            queue.removeFirst(head)
            head = 0
        }
        isWaiting = !emitted.isEmpty
        return elements
    }

    /// Ends the wait, and returns the entries of the batch. Some may have changed again.
    func settle() -> [ID] {
        let settled = emitted
        emitted.removeAll(keepingCapacity: true)
        isWaiting = false
        for id in settled { tree[id].flags.remove(.emitted) }
        return settled
    }

    /// Emits an entry, after those that have to leave its path.
    ///
    /// - Parameter waiting: entries that wait for this one.
    private func emit(_ id: ID, _ time: Instant, _ waiting: [ID], _ elements: inout [SourceElement]) {
        guard tree.isUsed(id) else { return }
        tree[id].flags.remove(.queued)
        guard !tree[id].pending.isEmpty else { return }
        var path: [UInt8] = []
        tree.appendPath(id, to: &path)
        if tree[id].isAlive {
            for other in moves.leaving(path) where other != id {
                if waiting.contains(other) {
                    // They have changed places: a move of both cannot be told apart from one onto the other.
                    withoutMove(other, time)
                } else {
                    emit(other, time, waiting + [id], &elements)
                }
            }
        }
        guard !tree[id].pending.isEmpty else { return }
        append(id, path, time, to: &elements)
        tree[id].pending = []
        if !tree[id].flags.contains(.emitted) { emitted.append(id) }
        tree[id].flags.insert(.emitted)
    }

    /// Emits an entry as new at its path instead of as moved, with what is below it.
    private func withoutMove(_ id: ID, _ time: Instant) {
        guard let from = moves.remove(id) else { return }
        tree[id].pending.remove(.moved)
        renew(id, from, time)
    }

    private func renew(_ id: ID, _ old: [UInt8], _ time: Instant) {
        if tree[id].isDirectory {
            tree.forEachChild(id) { child in
                guard tree[child].isAlive, moves.from(child) == nil else { return }
                renew(child, old + [UInt8(ascii: "/")] + tree.name(child), time)
            }
        } else {
            var path: [UInt8] = []
            tree.appendPath(id, to: &path)
            guard emitsWritten(path) else { return }
            vacate(id, old, at: time)
            add(id, .written, at: time)
        }
    }

    private func append(_ id: ID, _ relative: [UInt8], _ time: Instant, to elements: inout [SourceElement]) {
        let pending = tree[id].pending
        let isDirectory = tree[id].isDirectory
        let path = absolute(relative)
        func put(_ event: PathOptions.Event, _ path: [UInt8], from: [UInt8]? = nil) {
            elements.append(
                PathElement(path: path, event: event, from: from, isDirectory: isDirectory).element(at: time))
        }
        for old in vacated.removeValue(forKey: id) ?? [] where !isTaken(old, isDirectory) {
            if old != relative || !pending.contains(.removed) { put(.removed, absolute(old)) }
        }
        if pending.contains(.removed), !isTaken(relative, isDirectory) { put(.removed, path) }
        if pending.contains(.created) { put(.created, path) }
        if let from = moves.remove(id), pending.contains(.moved), from != relative {
            put(.moved, path, from: absolute(from))
            if isDirectory {
                moves.rename(from, to: relative)
                rename(from, to: relative)
            }
        }
        if pending.contains(.written) { put(.written, path) }
        if pending.contains(.attributes) { put(.attributes, path) }
    }

    /// Whether there is something of the same kind at a path that was left: then the receiver has heard of that, or
    /// will.
    private func isTaken(_ path: [UInt8], _ isDirectory: Bool) -> Bool {
        tree.find(path: path).map { tree[$0].isAlive && tree[$0].isDirectory == isDirectory } ?? false
    }

    private func rename(_ path: [UInt8], to new: [UInt8]) {
        for (id, paths) in vacated { vacated[id] = paths.map { PendingMoves.renamed($0, path, to: new) } }
    }

    private func absolute(_ path: [UInt8]) -> [UInt8] { Array(root.appending(component: path).bytes) }
}
