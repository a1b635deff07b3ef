internal import Synchronization

/// A piece of a queue that one appends to while another takes from it, neither waiting for the other.
///
/// A full block gets a successor. Both know by themselves how far they are; the one who takes frees what it is through with.
struct ElementBlock<Element>: @unchecked Sendable {
    // Unchecked: the places before `shown` belong to the one who takes, the others to the one who appends.

    private struct Header: ~Copyable {
        let shown = Atomic(0)
        let successor = Atomic<UnsafeMutableRawPointer?>(nil)
        let capacity: Int
    }

    static var smallest: Int { 16 }
    /// Beyond, larger blocks save nothing.
    private static var largest: Int { 512 }
    /// A cache line: what both look at lies apart from the elements.
    private static var headerSize: Int { 64 }

    private let header: UnsafeMutablePointer<Header>
    private let elements: UnsafeMutablePointer<Element>
    let capacity: Int

    init(capacity: Int) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: ElementBlock.headerSize + capacity * MemoryLayout<Element>.stride,
            alignment: ElementBlock.headerSize)
        memory.bindMemory(to: Header.self, capacity: 1).initialize(to: Header(capacity: capacity))
        self.init(memory)
    }

    private init(_ memory: UnsafeMutableRawPointer) {
        header = memory.assumingMemoryBound(to: Header.self)
        elements = (memory + ElementBlock.headerSize).assumingMemoryBound(to: Element.self)
        capacity = header.pointee.capacity
    }

    /// Its elements were taken, and so was its successor.
    func free() {
        header.deinitialize(count: 1)
        UnsafeMutableRawPointer(header).deallocate()
    }

    // MARK: - Who appends

    /// The element number `index`.
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

    // MARK: - Who takes

    /// How many were appended.
    @inline(__always)
    var count: Int { header.pointee.shown.load(ordering: .acquiring) }

    /// Each once, in order.
    @inline(__always)
    func take(at index: Int) -> Element { (elements + index).move() }

    /// When all was taken.
    var successor: ElementBlock? { header.pointee.successor.load(ordering: .acquiring).map { ElementBlock($0) } }
}
