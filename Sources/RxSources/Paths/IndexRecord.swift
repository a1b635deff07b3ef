/// A record of the index on disk: the state of an entry that was settled. 46 bytes and the name.
struct IndexRecord {
    /// What a record is.
    enum Kind: UInt8 {
        /// The first record. The name is the root; `modified` is the time of the first start, and `inode` the hash of
        /// the definition of the source, or 0.
        case header = 1
        /// An entry, instead of the one that had its id.
        case entry = 2
        /// The id has no entry any more.
        case removal = 3
        /// Everything that was there at the first start is in the index.
        case complete = 4
    }

    var kind: Kind
    var isDirectory = false
    var id: PathEntry.ID = 0
    var parent: PathEntry.ID = 0
    var stamp = PathEntry.Stamp()

    /// Bytes before the name: the sum, the length of the name, kind, directory, id, parent, device, inode, time, size.
    static let fixedSize = 4 + 2 + 1 + 1 + 4 + 4 + 4 + 8 + 8 + 8

    /// The record of an entry.
    static func entry(_ id: PathEntry.ID, in tree: PathTree) -> [UInt8] {
        let entry = tree[id]
        return IndexRecord(
            kind: .entry, isDirectory: entry.isDirectory, id: id, parent: entry.parent, stamp: entry.stamp
        ).bytes(name: tree.name(id))
    }

    /// The record that an id has no entry any more.
    static func removal(_ id: PathEntry.ID) -> [UInt8] {
        IndexRecord(kind: .removal, id: id).bytes(name: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// The record that everything that was there at the first start is in the index.
    static let complete = IndexRecord(kind: .complete).bytes(name: UnsafeRawBufferPointer(start: nil, count: 0))

    func bytes(name: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.fixedSize + name.count)
        write(name, to: &bytes)
        return bytes
    }

    /// Appends the record.
    func write(_ name: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        let begin = bytes.count
        func put(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
        put(UInt32(0))
        put(UInt16(name.count))
        put(kind.rawValue)
        put(UInt8(isDirectory ? 1 : 0))
        put(id)
        put(parent)
        put(stamp.device)
        put(stamp.inode)
        put(stamp.modified)
        put(stamp.size)
        bytes += name
        let sum = bytes.withUnsafeBytes { Self.sum(UnsafeRawBufferPointer(rebasing: $0[(begin + 4)...])) }
        withUnsafeBytes(of: sum.littleEndian) { for (index, byte) in $0.enumerated() { bytes[begin + index] = byte } }
    }

    /// Reads the record at the start of `bytes`; nil if it is not whole or its sum is wrong.
    static func read(_ bytes: UnsafeRawBufferPointer) -> (record: IndexRecord, name: UnsafeRawBufferPointer)? {
        func get<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type = Value.self) -> Value {
            Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
        guard bytes.count >= fixedSize else { return nil }
        let end = fixedSize + Int(get(4, UInt16.self))
        guard bytes.count >= end, sum(UnsafeRawBufferPointer(rebasing: bytes[4..<end])) == get(0, UInt32.self),
            let kind = Kind(rawValue: bytes[6])
        else { return nil }
        var record = IndexRecord(kind: kind, isDirectory: bytes[7] == 1, id: get(8), parent: get(12))
        record.stamp.device = get(16)
        record.stamp.inode = get(20)
        record.stamp.modified = get(28)
        record.stamp.size = get(36)
        return (record, UnsafeRawBufferPointer(rebasing: bytes[fixedSize..<end]))
    }

    /// FNV-1a, folded to 32 bits.
    private static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let sum = hash(bytes)
        return UInt32(truncatingIfNeeded: sum ^ sum >> 32)
    }

    /// FNV-1a.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
