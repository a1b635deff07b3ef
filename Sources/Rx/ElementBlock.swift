internal import Synchronization

/// A block of a queue with one appending and one removing thread, neither of which waits for the other.
///
/// A full block gets a successor. Each side tracks its own position; the removing side frees the blocks that it has
/// finished.
struct ElementBlock<Element>: @unchecked Sendable {
    // Unchecked: the places before `shown` belong to the removing side, the others to the appending side.

    static var smallest: Int { 16 }
    /// Larger blocks save nothing.
    private static var largest: Int { 512 }
    /// A cache line, so that the shared header is separate from the elements.
    private static var headerSize: Int { 64 }

    private let header: UnsafeMutablePointer<ElementBlockHeader>
    private let elements: UnsafeMutablePointer<Element>
    let capacity: Int

    init(capacity: Int) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: ElementBlock.headerSize + capacity * MemoryLayout<Element>.stride,
            alignment: ElementBlock.headerSize)
        memory.bindMemory(to: ElementBlockHeader.self, capacity: 1)
            .initialize(to: ElementBlockHeader(capacity: capacity))
        self.init(memory)
    }

    private init(_ memory: UnsafeMutableRawPointer) {
        header = memory.assumingMemoryBound(to: ElementBlockHeader.self)
        elements = (memory + ElementBlock.headerSize).assumingMemoryBound(to: Element.self)
        capacity = header.pointee.capacity
    }

    /// Frees the block after its elements and its successor were taken.
    func free() {
        header.deinitialize(count: 1)
        UnsafeMutableRawPointer(header).deallocate()
    }

    // MARK: - Appending

    /// Appends an element at `index`, the number of those before it.
    @inline(__always)
    func append(_ element: Element, at index: Int) {
        (elements + index).initialize(to: element)
        header.pointee.shown.store(index + 1, ordering: .releasing)
    }

    func makeSuccessor() -> ElementBlock {
        let block = ElementBlock(capacity: min(capacity * 2, ElementBlock.largest))
        header.pointee.successor.store(UnsafeMutableRawPointer(block.header), ordering: .releasing)
        return block
    }

    // MARK: - Removing

    /// The number of appended elements.
    @inline(__always)
    var count: Int { header.pointee.shown.load(ordering: .acquiring) }

    /// Takes the element at an index; each once, in order.
    @inline(__always)
    func take(at index: Int) -> Element { (elements + index).move() }

    /// The next block, taken when this one is empty.
    var successor: ElementBlock? { header.pointee.successor.load(ordering: .acquiring).map { ElementBlock($0) } }
}

/// The shared part of a block. Not nested in it, because code for all elements would then look up the header's type
/// at each access.
private struct ElementBlockHeader: ~Copyable {
    let shown = Atomic(0)
    let successor = Atomic<UnsafeMutableRawPointer?>(nil)
    let capacity: Int
}
