internal import RxJSON
internal import RxRecords

/// Successive elements, packed as `KeptElements.Codec` states, in blocks of memory.
///
/// Bytes that are written never change, so a snapshot shares the blocks. The oldest elements are dropped a block at a
/// time, when the next block begins; a snapshot leaves out those that are too many.
struct PackedElements: ~Copyable {
    /// How much some elements are.
    struct Size {
        var count = 0
        /// The bytes of the elements with a newline after each.
        var bytes = 0
        /// The bytes that they take, packed.
        var packed = 0
    }

    /// The memory of the first block: most executions have a few short elements.
    private static let leastBlock = 256
    /// The largest block for short elements is this part of the limit, so that few elements beyond it are held.
    private static let blocksOfLimit = 8

    private let largestBlock: Int
    private var blocks: [PackedBlock] = []
    /// Where the next element goes, in the newest block.
    private var end: UnsafeMutableRawPointer?
    /// The bytes that the newest block has left for an element with a newline after it.
    private(set) var room = 0
    private var (cameCount, cameBytes) = (0, 0)
    /// The elements that came and were dropped.
    private var dropped = Size()
    /// The memory of the blocks.
    private(set) var cost = 0

    /// All elements since there were none.
    var came: Size {
        let packed = blocks.last.map { $0.before.packed + (end.map { [start = $0.memory.start] in $0 - start } ?? 0) }
        return Size(count: cameCount, bytes: cameBytes, packed: packed ?? 0)
    }
    /// The number of elements.
    var count: Int { cameCount - dropped.count }
    /// The bytes of the elements with a newline after each.
    var bytes: Int { cameBytes - dropped.bytes }

    /// - Parameter limit: how many bytes of elements are going to be kept, approximately.
    init(limit: Int) { largestBlock = max(limit / Self.blocksOfLimit, Self.leastBlock) }

    /// - Parameters:
    ///   - number: the number of the element's event.
    ///   - time: milliseconds since 1970.
    ///   - ordinal: the number of the element in its execution.
    ///   - last: the number and the time of the element before.
    ///   - limit: the oldest elements need not be kept if the others have so many bytes, packed.
    mutating func append(
        _ text: RawJSON, number: UInt64, time: Int64, ordinal: Int, after last: KeptElements.Codec.Place,
        keeping limit: Int
    ) {
        let size = text.utf8.count + 1
        if room < size {
            dropBlocks(keeping: limit)
            beginBlock(for: size, ordinal: ordinal, after: last)
        }
        appendToBlock(text, number: number, time: time, after: last)
    }

    /// Appends an element for which the newest block has room. A process may write millions of lines, and for most of
    /// them this is all that is done.
    @inline(__always)
    mutating func appendToBlock(_ text: RawJSON, number: UInt64, time: Int64, after last: KeptElements.Codec.Place) {
        guard let start = end else { return }
        let packed = KeptElements.Codec.write(text, number: number, time: time, after: last, to: start)
        end = start + packed
        room -= packed
        cameCount += 1
        cameBytes += text.utf8.count + 1
    }

    private mutating func beginBlock(for size: Int, ordinal: Int, after last: KeptElements.Codec.Place) {
        let usual = min(blocks.last.map { $0.memory.capacity * 2 } ?? Self.leastBlock, largestBlock)
        let memory = BlockMemory(capacity: max(usual, size + KeptElements.Codec.mostBesideText))
        blocks.append(PackedBlock(memory: memory, before: came, ordinal: ordinal, base: last))
        (end, room) = (memory.start, memory.capacity - KeptElements.Codec.mostBesideText)
        cost += memory.capacity
    }

    private mutating func dropBlocks(keeping limit: Int) {
        let packed = came.packed
        while blocks.count > 1, packed - blocks[1].before.packed >= limit {
            cost -= blocks.removeFirst().memory.capacity
            dropped = blocks[0].before
        }
    }

    mutating func removeAll() {
        (blocks, end, room, cost) = ([], nil, 0, 0)
        (cameCount, cameBytes, dropped) = (0, 0, Size())
    }

    /// The elements at this moment.
    var snapshot: PackedSnapshot {
        PackedSnapshot(blocks: blocks, packed: came.packed, count: count, cost: cost)
    }
}
