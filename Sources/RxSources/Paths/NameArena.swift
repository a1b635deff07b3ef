/// The names of all entries, one after another, in blocks, so that growing copies nothing.
struct NameArena {
    /// A name takes at most 255 bytes, so little is wasted at the end of a block.
    private static let blockSize = 16_384

    private var blocks: [UnsafeMutableRawPointer] = []
    private var used = NameArena.blockSize
    /// Bytes of names that were removed.
    private(set) var garbage = 0

    /// Bytes that the names occupy.
    var size: Int { blocks.count * Self.blockSize }

    /// Whether most of it is garbage; small ones do not matter.
    var isWorthCompacting: Bool { garbage > 65_536 && garbage > size / 2 }

    mutating func add(_ name: UnsafeRawBufferPointer) -> UInt32 {
        if used + name.count > Self.blockSize {
            blocks.append(.allocate(byteCount: Self.blockSize, alignment: 1))
            used = 0
        }
        let offset = (blocks.count - 1) * Self.blockSize + used
        if let base = name.baseAddress {
            (blocks[blocks.count - 1] + used).copyMemory(from: base, byteCount: name.count)
        }
        used += name.count
        return UInt32(offset)
    }

    mutating func remove(length: UInt8) { garbage += Int(length) }

    func name(at offset: UInt32, length: UInt8) -> UnsafeRawBufferPointer {
        let offset = Int(offset)
        guard length > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(
            start: blocks[offset / Self.blockSize] + offset % Self.blockSize, count: Int(length))
    }

    /// Frees the blocks; the arena is unusable afterwards.
    func deallocate() { for block in blocks { block.deallocate() } }
}
