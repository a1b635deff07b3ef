/// A first-in, first-out queue in one block of memory that it keeps when it becomes empty.
///
/// In unspecialized generic code an element costs only a copy in and a move out.
struct Ring<Element>: ~Copyable {
    private static var smallest: Int { 16 }
    /// A larger capacity is freed when the ring becomes empty.
    private static var largestKept: Int { 4096 }

    private var elements: UnsafeMutablePointer<Element>?
    /// Always a power of two.
    private var capacity = 0
    private var first = 0
    private(set) var count = 0

    init() {}

    deinit {
        guard let elements else { return }
        for index in 0..<count { (elements + (first + index) & (capacity - 1)).deinitialize(count: 1) }
        elements.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        // After growing, the memory is allocated.
        (elements! + (first + count) & (capacity - 1)).initialize(to: element)
        count += 1
    }

    /// Removes and returns the first element. The ring must not be empty.
    mutating func removeFirst() -> Element {
        precondition(count > 0, "there is a first element")
        let place = elements! + first
        first = (first + 1) & (capacity - 1)
        count -= 1
        if count == 0, capacity > Ring.largestKept {
            let element = place.move()
            shrink()
            return element
        }
        return place.move()
    }

    private mutating func grow() {
        let larger = max(capacity * 2, Ring.smallest)
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        if let elements {
            let head = min(count, capacity - first)
            memory.moveInitialize(from: elements + first, count: head)
            (memory + head).moveInitialize(from: elements, count: count - head)
            elements.deallocate()
        }
        elements = memory
        capacity = larger
        first = 0
    }

    private mutating func shrink() {
        elements?.deallocate()
        elements = nil
        capacity = 0
        first = 0
    }
}
