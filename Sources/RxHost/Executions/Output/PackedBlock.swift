internal import RxRecords

/// Some of the elements of `PackedElements`.
struct PackedBlock: Sendable {
    let memory: BlockMemory
    /// The elements before it.
    let before: PackedElements.Size
    /// The number in its execution of the first element.
    let ordinal: Int
    /// What the first element refers to.
    let base: KeptElements.Codec.Place
}

/// The memory of a block, which is written from its start to its end.
// Unchecked: one thread at a time writes; the others read what was written before they got the snapshot.
final class BlockMemory: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        start = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit { start.deallocate() }
}
