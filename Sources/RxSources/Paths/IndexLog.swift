/// The index on disk: a log of records, of which the last one of each id counts. Rewritten when most of it is garbage.
///
/// A failure to write is remembered and reported, and nothing else: what is not on disk is emitted again after a
/// restart.
final class IndexLog {
    /// Smaller logs are not worth rewriting.
    private static let smallest = 1 << 20
    /// Records are written in pieces of this size.
    private static let buffered = 65_536
    /// A sensible index has ids up to twice the most entries; a greater id is damage.
    private static let greatestID: PathEntry.ID = 1 << 28

    private let storage: (any IndexStorage)?
    /// The hash of the definition of the source; 0 if it is unknown.
    private let definition: UInt64
    private var buffer: [UInt8] = []
    private var size = 0
    /// The size at which it is rewritten: twice what it needed last, so that rewriting costs as much as writing.
    private var mostSize = IndexLog.smallest
    /// Why the last write failed.
    private(set) var failure: FileError?
    /// What was wrong with the index when it was loaded.
    private(set) var damage: IndexDamage?

    /// - Parameters:
    ///   - storage: nil for an index in memory alone.
    ///   - definition: what the source is made from; nil if that does not matter.
    init(_ storage: (any IndexStorage)?, definition: String? = nil) {
        self.storage = storage
        self.definition = definition.map { IndexRecord.hash($0.utf8) } ?? 0
    }

    /// Whether there is an index that a later run finds.
    var isOnDisk: Bool { failure == nil && storage?.exists ?? false }

    /// What an index on disk holds besides its entries.
    struct Contents {
        /// The time of the first start, in nanoseconds since 1970.
        var firstStart: Int64
        /// Whether the first scan has ended.
        var isComplete: Bool
    }

    /// Loads the entries into an empty tree; nil if there is no index of that root and definition. What follows a
    /// damaged record is ignored, and `damage` states it: other bytes, or the end that a crash of the machine has torn.
    ///
    /// - Parameter isExpected: whether there was an index of that root before.
    func load(root: RawPath, into tree: PathTree, isExpected: Bool = false) -> Contents? {
        guard let storage else { return nil }
        guard storage.exists else {
            if isExpected { damage = IndexDamage(name: storage.name, extent: .missing, isKept: false) }
            return nil
        }
        var contents: Contents?
        var end = 0
        var isForeign = false
        do throws(FileError) {
            try storage.read { bytes in
                end = Self.forEach(bytes) { record, name, _ in
                    switch record.kind {
                    case .header:
                        guard name.elementsEqual(root.bytes), isOwn(record) else {
                            isForeign = true
                            return false
                        }
                        contents = Contents(firstStart: record.stamp.modified, isComplete: false)
                    case .entry
                    where contents != nil && record.id > 0 && record.id < Self.greatestID
                        && name.count <= PathTree.longestName:
                        tree.restore(record.id)
                        tree.setName(record.id, name)
                        tree[record.id].stamp = record.stamp
                        // Linked below, once all entries are there.
                        tree[record.id].previous = record.parent
                        if record.isDirectory { tree[record.id].flags.insert(.directory) }
                    case .removal where contents != nil:
                        if tree.isUsed(record.id), record.id != PathEntry.root { tree[record.id].flags = [] }
                    case .complete: contents?.isComplete = true
                    case .entry, .removal: return false
                    }
                    return true
                }
                size = bytes.count
            }
        } catch { failure = error }
        if failure == nil, !isForeign, end < size || contents == nil {
            let isKept = size > 0 && (try? storage.keepDamaged()) != nil
            let extent: IndexDamage.Extent =
                size == 0 ? .empty : contents == nil ? .whole : .rest(after: end, of: size)
            damage = IndexDamage(name: storage.name, extent: extent, isKept: isKept)
        }
        guard contents != nil else {
            tree.reset()
            return nil
        }
        Self.link(tree)
        let needed = tree.ids.reduce(0) { $0 + IndexRecord.fixedSize + Int(tree[$1].nameLength) }
        mostSize = max(Self.smallest, 2 * needed)
        // What is appended behind a damaged record would never be read.
        if end < size { rewrite() }
        return contents
    }

    /// Whether an index is one of this definition. An index of an earlier version does not state its definition: it
    /// counts as one, as nobody would know what has changed since.
    private func isOwn(_ header: IndexRecord) -> Bool {
        definition == 0 || header.stamp.inode == 0 || header.stamp.inode == definition
    }

    /// Begins an empty index.
    func begin(root: RawPath, firstStart: Int64, isComplete: Bool) {
        var stamp = PathEntry.Stamp()
        stamp.modified = firstStart
        stamp.inode = definition
        var bytes: [UInt8] = []
        root.bytes.withUnsafeBytes { IndexRecord(kind: .header, stamp: stamp).write($0, to: &bytes) }
        if isComplete { IndexRecord(kind: .complete).write(UnsafeRawBufferPointer(start: nil, count: 0), to: &bytes) }
        guard let storage else { return }
        attempt { () throws(FileError) in try storage.replace { put in bytes.withUnsafeBytes { put($0) } } }
        size = bytes.count
    }

    /// Appends records.
    func append(_ records: [UInt8]) {
        guard storage != nil else { return }
        buffer += records
        if buffer.count >= Self.buffered { write() }
    }

    private func write() {
        guard let storage, !buffer.isEmpty else { return }
        attempt { () throws(FileError) in
            try storage.append(buffer)
            size += buffer.count
        }
        buffer.removeAll(keepingCapacity: buffer.capacity <= 2 * Self.buffered)
    }

    /// Writes what was saved; rewrites the log if it has become too large.
    func flush() {
        write()
        guard size > mostSize else { return }
        // Later again, if it fails.
        mostSize = 2 * size
        rewrite()
    }

    private func attempt(_ body: () throws(FileError) -> Void) {
        do throws(FileError) {
            try body()
            failure = nil
        } catch { failure = error }
    }

    /// Copies the records that count. The entries in memory would not do: some have changes that are not settled.
    private func rewrite() {
        guard let storage else { return }
        attempt { () throws(FileError) in
            var written = 0
            try storage.read { bytes in
                Result { () throws(FileError) in
                    var last: [Int] = []
                    Self.forEach(bytes) { record, _, offset in
                        guard record.id < Self.greatestID else { return false }
                        while last.count <= Int(record.id) { last.append(-1) }
                        last[Int(record.id)] = record.kind == .entry ? offset : -1
                        return true
                    }
                    try storage.replace { put in
                        Self.forEach(bytes) { record, name, offset in
                            let counts =
                                switch record.kind {
                                case .header, .complete: true
                                case .entry: last[Int(record.id)] == offset
                                case .removal: false
                                }
                            if counts {
                                let end = offset + IndexRecord.fixedSize + name.count
                                put(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
                                written += end - offset
                            }
                            return true
                        }
                    }
                }
            }.get()
            size = written
            mostSize = max(Self.smallest, 2 * written)
        }
    }

    /// Calls `body` with each record until it returns false, and returns where it stopped.
    @discardableResult
    private static func forEach(
        _ bytes: UnsafeRawBufferPointer, _ body: (IndexRecord, UnsafeRawBufferPointer, Int) -> Bool
    ) -> Int {
        var offset = 0
        while let (record, name) = IndexRecord.read(UnsafeRawBufferPointer(rebasing: bytes[offset...])) {
            guard body(record, name, offset) else { break }
            offset += IndexRecord.fixedSize + name.count
        }
        return offset
    }

    /// Gives each loaded entry its place. Entries that hang on nothing, or whose name is taken, are dropped: a failure
    /// of the machine has lost the end of the index. What is there is found again.
    private static func link(_ tree: PathTree) {
        for id in tree.ids {
            let parent = tree[id].previous
            tree[id].previous = PathEntry.none
            guard tree.isUsed(parent), tree[parent].isDirectory, parent != id else { continue }
            tree.place(id, in: parent)
        }
        // From the root, so that neither orphans nor circles remain.
        var reached: [PathEntry.ID] = [PathEntry.root]
        while let directory = reached.popLast() {
            tree.forEachChild(directory) { child in
                guard tree.find(directory, tree.name(child)) == nil else { return }
                tree.attachName(child)
                tree[child].flags.insert(.listed)
                if tree[child].isDirectory { reached.append(child) }
            }
        }
        for id in tree.ids {
            if tree[id].flags.contains(.listed) { tree[id].flags.remove(.listed) } else { tree.release(id) }
        }
        tree.finishLoading()
    }
}
