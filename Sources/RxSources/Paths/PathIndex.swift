internal import RxStreams
internal import RxTime

/// The index: what the receiver knows of the files below the root, once it has taken what was emitted.
///
/// Each method changes the index and emits what the change means, in one step. So whoever applies the elements in their
/// order has the entries of the index, and the index on disk follows what is settled. Candidates are the exception:
/// names that are to be looked at, which neither the receiver nor the disk knows.
final class PathIndex {
    typealias ID = PathEntry.ID

    /// Candidates beyond the most entries, so that a full index still notices what changes.
    private static let slack = 1024

    let tree = PathTree()
    let filter: PathFilter
    private(set) var outbox: PathOutbox
    private let root: RawPath
    private let selected: PathEntry.Kinds
    private let most: Int
    /// Called before an entry is released.
    var willRelease: (ID) -> Void = { _ in }
    /// Entries that are gone, whose removal is being emitted.
    private var doomed: [(id: ID, time: Instant)] = []
    private var candidates = 0
    /// The path of the first name that is too long for an entry, relative to the root.
    private(set) var longName: [UInt8]?
    /// A name could not be added, because there are as many as allowed.
    private(set) var isFull = false

    init(options: PathOptions, root: RawPath, log: IndexLog) {
        self.root = root
        outbox = PathOutbox(log: log)
        filter = PathFilter(options)
        most = options.most
        var selected: PathEntry.Kinds = []
        for event in options.events { selected.insert(event.kind) }
        self.selected = selected
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

    /// Whether a name has an entry if it is there.
    func keeps(_ directory: ID, _ name: UnsafeRawBufferPointer, isDirectory: Bool) -> Bool {
        filter.isEmpty || filter.keeps(relative(directory, name)[...], isDirectory: isDirectory)
    }

    /// Whether a move from a path without an entry is emitted: not if there is one by now, which the receiver would
    /// take for what was moved.
    func emitsMove(from path: [UInt8], to id: ID) -> Bool {
        emitsMove(to: relative(id)) && tree.find(path).map { tree[$0].isCandidate } ?? true
    }

    private func emitsMove(to path: [UInt8]) -> Bool { selected.contains(.moved) && emits(path) }

    private func emits(_ path: [UInt8]) -> Bool { filter.isEmpty || filter.emits(path[...]) }

    // MARK: Candidates

    /// Adds a name, which has no entry; nil if there are too many, or if it is too long.
    func addCandidate(_ directory: ID, _ name: UnsafeRawBufferPointer) -> ID? {
        guard name.count <= PathTree.longestName else {
            if longName == nil { longName = relative(directory, name) }
            return nil
        }
        guard tree.count - candidates <= most, tree.count <= most + Self.slack else {
            isFull = true
            return nil
        }
        let id = tree.add(name, to: directory)
        tree[id].flags.insert(.candidate)
        candidates += 1
        return id
    }

    /// Forgets that the index was full. Returns whether it was, and has room for a tenth more.
    func hasRoomAgain() -> Bool {
        guard isFull, tree.count <= most - most / 10 else { return false }
        isFull = false
        return true
    }

    /// Forgets all candidates, and what was noted of the entries.
    func forgetHints() {
        tree[PathEntry.root].flags.subtract(.transient)
        for id in tree.ids {
            tree[id].flags.subtract(.transient)
            tree[id].hints = []
        }
        for id in tree.ids where tree[id].isCandidate { release(id) }
    }

    /// Everything that was there at the first start is known.
    func complete() { outbox.add(record: IndexRecord.complete) }

    // MARK: Changes

    /// Makes a candidate known; false if there are too many entries, in which case it is released.
    func appear(_ id: ID, _ stamp: PathEntry.Stamp, isDirectory: Bool) -> Bool {
        guard tree.count - candidates <= most else {
            isFull = true
            release(id)
            return false
        }
        candidates -= 1
        tree[id].flags.remove(.candidate)
        if isDirectory { tree[id].flags.insert(.directory) }
        tree[id].stamp = stamp
        return true
    }

    /// Saves an entry and emits elements of it.
    func emit(_ id: ID, _ kinds: PathEntry.Kinds, from: [UInt8]? = nil, at time: Instant) {
        let kinds = kinds.intersection(selected)
        if !kinds.isEmpty {
            let path = relative(id)
            if emits(path) {
                for event in PathOptions.Event.inOrder where kinds.contains(event.kind) {
                    put(event, path, from: event == .moved ? from : nil, tree[id].isDirectory, time)
                }
            }
        }
        outbox.add(record: IndexRecord.entry(id, in: tree))
    }

    /// Moves an entry to a name, whose own entry it replaces: a candidate, or a file.
    func move(_ id: ID, to slot: ID, at time: Instant) {
        let from = relative(id)
        let path = relative(slot)
        let parent = tree[slot].parent
        let name = Array(tree.name(slot))
        let replaced = tree[slot].isCandidate ? nil : slot
        free(slot)
        name.withUnsafeBytes { tree.move(id, $0, to: parent) }
        let isEmitted = emitsMove(to: path)
        if tree[id].isDirectory, !isEmitted || filter.dependsOnDirectories {
            relocate(below: id, from: from, to: path, isKnown: isEmitted, time)
        }
        if isEmitted {
            emit(id, .moved, from: from, at: time)
        } else {
            // Not emitted any more.
            if selected.contains(.moved) { putRemoval(id, from, time) }
            outbox.add(record: IndexRecord.entry(id, in: tree))
        }
        if let replaced { outbox.add(record: IndexRecord.removal(replaced)) }
    }

    /// The entries below a moved directory, of which the receiver must hear before the move.
    ///
    /// - Parameter isKnown: whether the move of the directory is emitted, and theirs with it.
    private func relocate(below directory: ID, from: [UInt8], to: [UInt8], isKnown: Bool, _ time: Instant) {
        tree.forEachChild(directory) { child in
            guard !tree[child].isCandidate else { return }
            let name = [UInt8(ascii: "/")] + tree.name(child)
            let (old, new) = (from + name, to + name)
            guard filter.keeps(new[...], isDirectory: tree[child].isDirectory) else {
                return remove(child, old, time)
            }
            if tree[child].isDirectory { relocate(below: child, from: old, to: new, isKnown: isKnown, time) }
            guard !isKnown, selected.contains(.moved) else { return }
            if emits(new) {
                put(.moved, new, from: old, tree[child].isDirectory, time)
            } else {
                putRemoval(child, old, time)
            }
        }
    }

    private func remove(_ id: ID, _ path: [UInt8], _ time: Instant) {
        tree.forEachChild(id) { remove($0, path + [UInt8(ascii: "/")] + tree.name($0), time) }
        if !tree[id].isCandidate { putRemoval(id, path, time) }
        release(id)
    }

    /// Removes an entry that is gone, with what is below it: first what is deepest. Its name is free at once; the
    /// elements come with `drain`.
    func doom(_ id: ID, at time: Instant) {
        tree.detachName(id)
        tree[id].flags.insert(.doomed)
        doomed.append((id, time))
    }

    /// Whether removals are to be emitted, before anything else changes.
    var isDraining: Bool { !doomed.isEmpty }

    /// Emits the next removal.
    func drain() {
        guard let (id, time) = doomed.last else { return }
        var leaf = id
        while tree[leaf].firstChild != PathEntry.none { leaf = tree[leaf].firstChild }
        if leaf == id { doomed.removeLast() }
        if !tree[leaf].isCandidate { putRemoval(leaf, relative(leaf), time) }
        release(leaf)
    }

    /// Releases an entry without children.
    func release(_ id: ID) {
        if !tree[id].isCandidate { outbox.add(record: IndexRecord.removal(id)) }
        free(id)
    }

    private func free(_ id: ID) {
        willRelease(id)
        if tree[id].isCandidate { candidates -= 1 }
        tree.release(id)
    }

    // MARK: Elements

    /// The next batch; empty if there is none, or if one is not settled.
    func nextBatch() -> [SourceElement] { outbox.next() }

    /// The receiver has taken the batch.
    func settle() { outbox.settle() }

    private func putRemoval(_ id: ID, _ path: [UInt8], _ time: Instant) {
        guard selected.contains(.removed), emits(path) else { return }
        put(.removed, path, from: nil, tree[id].isDirectory, time)
    }

    private func put(
        _ event: PathOptions.Event, _ path: [UInt8], from: [UInt8]?, _ isDirectory: Bool, _ time: Instant
    ) {
        let element = PathElement(
            path: Array(absolute(path).bytes), event: event, from: from.map { Array(absolute($0).bytes) },
            isDirectory: isDirectory)
        outbox.add(element.element(at: time))
    }
}

extension PathOptions.Event {
    /// The order in which what happened to one file is emitted.
    fileprivate static let inOrder: [PathOptions.Event] = [.created, .moved, .written, .attributes]

    fileprivate var kind: PathEntry.Kinds {
        switch self {
        case .created: .created
        case .written: .written
        case .moved: .moved
        case .removed: .removed
        case .attributes: .attributes
        }
    }
}
