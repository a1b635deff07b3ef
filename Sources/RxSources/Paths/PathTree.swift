/// The index in memory: entries in a tree, found by their directory and name.
///
/// An entry takes 56 bytes, its name, and about 8 bytes of a hash table. Entries lie in chunks, so growing neither
/// copies them nor reserves twice as much.
final class PathTree {
    typealias ID = PathEntry.ID

    /// Bytes of a name: those that Linux file systems allow. FUSE allows more.
    static let longestName = Int(UInt8.max)
    private static let chunkSize = 512

    private var chunks: [UnsafeMutablePointer<PathEntry>] = []
    private var end: ID = 0
    private var free: [ID] = []
    private var arena = NameArena()
    private var names = NameTable()

    /// The number of entries, the root included.
    var count: Int { Int(end) - free.count }

    /// Bytes of memory that the index occupies.
    var memory: Int {
        chunks.count * Self.chunkSize * MemoryLayout<PathEntry>.stride + arena.size + names.memory + free.capacity * 4
    }

    init() { reset() }

    deinit { deallocate() }

    private func deallocate() {
        for chunk in chunks { chunk.deallocate() }
        arena.deallocate()
    }

    /// Leaves the root alone.
    func reset() {
        deallocate()
        chunks = []
        arena = NameArena()
        names = NameTable()
        (end, free) = (0, [])
        let root = allocate()
        self[root].flags.insert(.directory)
    }

    subscript(id: ID) -> PathEntry {
        @inline(__always)
        unsafeAddress { UnsafePointer(chunks[Int(id) / Self.chunkSize] + Int(id) % Self.chunkSize) }
        @inline(__always)
        unsafeMutableAddress { chunks[Int(id) / Self.chunkSize] + Int(id) % Self.chunkSize }
    }

    /// Whether the id is one of an entry.
    func isUsed(_ id: ID) -> Bool { id < end && self[id].flags.contains(.used) }

    /// All entries but the root.
    var ids: some Sequence<ID> { (1..<max(1, end)).lazy.filter { self[$0].flags.contains(.used) } }

    // MARK: Entries

    private func allocate() -> ID {
        let id: ID
        if let last = free.popLast() {
            id = last
        } else {
            if Int(end) == chunks.count * Self.chunkSize { chunks.append(.allocate(capacity: Self.chunkSize)) }
            id = end
            end += 1
            (chunks[Int(id) / Self.chunkSize] + Int(id) % Self.chunkSize).initialize(to: PathEntry())
        }
        self[id] = PathEntry()
        self[id].flags = .used
        return id
    }

    /// Adds an entry to a directory, which has none of that name, of `longestName` bytes at most.
    func add(_ name: UnsafeRawBufferPointer, to parent: ID) -> ID {
        let id = allocate()
        attach(id, name, to: parent)
        return id
    }

    /// Makes an entry with an id of the caller's choice, without a place; for loading. Unused ids below it stay free
    /// until `finishLoading`.
    func restore(_ id: ID) {
        while end <= id {
            if Int(end) == chunks.count * Self.chunkSize { chunks.append(.allocate(capacity: Self.chunkSize)) }
            (chunks[Int(end) / Self.chunkSize] + Int(end) % Self.chunkSize).initialize(to: PathEntry())
            end += 1
        }
        arena.remove(length: self[id].nameLength)
        self[id] = PathEntry()
        self[id].flags = .used
    }

    /// Collects the ids that `restore` has left out or that were released since.
    func finishLoading() {
        free = (1..<max(1, end)).filter { !self[$0].flags.contains(.used) }.reversed()
        if arena.isWorthCompacting { compactNames() }
    }

    /// Removes an entry without children from its place and from the index.
    func release(_ id: ID) {
        detachName(id)
        displace(id)
        arena.remove(length: self[id].nameLength)
        self[id].flags = []
        self[id].hints = []
        self[id].nameLength = 0
        free.append(id)
        if arena.isWorthCompacting { compactNames() }
    }

    // MARK: Places

    /// Gives an entry another place, in which there is no entry.
    func move(_ id: ID, _ name: UnsafeRawBufferPointer, to parent: ID) {
        detachName(id)
        displace(id)
        arena.remove(length: self[id].nameLength)
        attach(id, name, to: parent)
    }

    /// Puts an entry in its place. The name must not be one of the arena's.
    func attach(_ id: ID, _ name: UnsafeRawBufferPointer, to parent: ID) {
        self[id].name = arena.add(name)
        self[id].nameLength = UInt8(name.count)
        place(id, in: parent)
        attachName(id)
    }

    /// Puts an entry among the children of a directory.
    func place(_ id: ID, in parent: ID) {
        let first = self[parent].firstChild
        self[id].parent = parent
        self[id].previous = PathEntry.none
        self[id].next = first
        if first != PathEntry.none { self[first].previous = id }
        self[parent].firstChild = id
    }

    private func displace(_ id: ID) {
        let entry = self[id]
        guard entry.parent != PathEntry.none else { return }
        if entry.previous != PathEntry.none {
            self[entry.previous].next = entry.next
        } else if self[entry.parent].firstChild == id {
            self[entry.parent].firstChild = entry.next
        }
        if entry.next != PathEntry.none { self[entry.next].previous = entry.previous }
        self[id].parent = PathEntry.none
        self[id].next = PathEntry.none
        self[id].previous = PathEntry.none
    }

    /// Stores a name of an entry that has no place yet; for loading.
    func setName(_ id: ID, _ name: UnsafeRawBufferPointer) {
        self[id].name = arena.add(name)
        self[id].nameLength = UInt8(name.count)
    }

    /// Calls `body` with the children of a directory. `body` may remove the child that it is called with.
    func forEachChild(_ directory: ID, _ body: (ID) -> Void) {
        var child = self[directory].firstChild
        while child != PathEntry.none {
            let next = self[child].next
            body(child)
            child = next
        }
    }

    /// Whether an entry is a directory or below it.
    func isBelow(_ id: ID, _ directory: ID) -> Bool {
        var ancestor = id
        while ancestor != directory, ancestor != PathEntry.none { ancestor = self[ancestor].parent }
        return ancestor == directory
    }

    /// The name of an entry; valid until the index changes.
    func name(_ id: ID) -> UnsafeRawBufferPointer { arena.name(at: self[id].name, length: self[id].nameLength) }

    /// Appends the path of an entry, relative to the root, with slashes in between.
    func appendPath(_ id: ID, to path: inout [UInt8]) {
        guard id != PathEntry.root, self[id].parent != PathEntry.none else { return }
        if self[id].parent != PathEntry.root {
            appendPath(self[id].parent, to: &path)
            path.append(UInt8(ascii: "/"))
        }
        path.append(contentsOf: name(id))
    }

    // MARK: Names

    /// The entry of that name in a directory.
    func find(_ directory: ID, _ name: UnsafeRawBufferPointer) -> ID? {
        names.first(of: hash(directory, name)) { id in
            let own = self.name(id)
            return self[id].parent == directory && own.count == name.count && own.elementsEqual(name)
        }
    }

    /// The entry at a path relative to the root.
    func find(_ path: [UInt8]) -> ID? {
        var id = PathEntry.root
        for component in path.split(separator: UInt8(ascii: "/")) {
            guard let next = component.withUnsafeBytes({ find(id, $0) }) else { return nil }
            id = next
        }
        return id
    }

    /// Makes an entry findable.
    func attachName(_ id: ID) { names.insert(id, hash: hash) }

    /// Makes an entry unfindable, which keeps its place; does nothing if it is so already.
    func detachName(_ id: ID) {
        guard self[id].parent != PathEntry.none else { return }
        names.remove(id, hash: hash)
    }

    private func hash(_ id: ID) -> Int { hash(self[id].parent, name(id)) }

    /// Seeded per process, because names may come from strangers.
    private func hash(_ directory: ID, _ name: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(directory)
        hasher.combine(bytes: name)
        return hasher.finalize()
    }

    private func compactNames() {
        var compact = NameArena()
        for id in ids { self[id].name = compact.add(name(id)) }
        arena.deallocate()
        arena = compact
    }
}
