public import Rx

/// A list of identifiable elements for use in a state. A copy shares all unchanged chunks with its original, and
/// comparing two lists skips shared chunks.
///
/// Changing one of n elements copies one chunk and the list of chunks instead of n elements. Finding an element by
/// identity is a table lookup. Identities are unique: inserting an element replaces the one with the same identity.
///
/// Everything is inlinable, because the code specialized for an element type is about thirty times as fast.
public struct KeyedList<Element: Identifiable> {
    /// The most elements of a chunk; a larger one is split. Small enough to copy for one change, large enough to keep
    /// the list of chunks short.
    @inlinable static var largestChunk: Int { 128 }

    /// Consecutive elements. Immutable once shared.
    @usableFromInline
    final class Chunk {
        /// Identifies corresponding chunks of two lists: a changed copy keeps the number.
        @usableFromInline let number: Int
        // Unchecked: used only by accesses to a list that owns it, which do not overlap.
        @exclusivity(unchecked) @usableFromInline var elements: [Element]

        @inlinable init(_ number: Int, _ elements: [Element]) {
            self.number = number
            self.elements = elements
        }
    }

    @usableFromInline var chunks: [Chunk] = []
    /// The numbers of the chunks, stored contiguously because they are searched by value.
    @usableFromInline var numbers: [Int] = []
    /// The position at which each chunk begins.
    @usableFromInline var starts: [Int] = []
    /// The number of elements.
    public var count: Int { @inlinable get { size } }
    @usableFromInline var size = 0
    @usableFromInline var table = KeyedTable<Element.ID>()
    @usableFromInline var nextNumber = 0

    /// Creates an empty list.
    @inlinable public init() {}

    /// Creates a list of `elements`. If an identity repeats, the later element replaces the earlier one in its
    /// position.
    @inlinable public init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    // MARK: - By identity

    /// The element with this identity, or nil. Setting nil removes the element. Setting an element with that identity
    /// replaces the existing one or appends it.
    @inlinable public subscript(id id: Element.ID) -> Element? {
        get { place(of: id).map { chunks[$0.chunk].elements[$0.offset] } }
        set {
            guard let element = newValue else {
                remove(id: id)
                return
            }
            precondition(element.id == id, "an element is kept under its own identity")
            append(element)
        }
    }

    /// Whether the list has an element with this identity.
    @inlinable public func contains(id: Element.ID) -> Bool { table[id] != nil }

    /// The position of the element with this identity, or nil.
    @inlinable public func firstIndex(id: Element.ID) -> Int? { place(of: id).map { starts[$0.chunk] + $0.offset } }

    /// Changes an element in place. `change` must not change its identity.
    ///
    /// - Returns: false if no element has this identity.
    @discardableResult
    @inlinable public mutating func update(id: Element.ID, _ change: (inout Element) -> Void) -> Bool {
        guard let place = place(of: id) else { return false }
        own(place.chunk)
        change(&chunks[place.chunk].elements[place.offset])
        precondition(chunks[place.chunk].elements[place.offset].id == id, "an update keeps the identity")
        return true
    }

    /// Removes and returns the element with this identity, or returns nil.
    @discardableResult
    @inlinable public mutating func remove(id: Element.ID) -> Element? {
        guard let place = place(of: id) else { return nil }
        own(place.chunk)
        table[id] = nil
        let element = chunks[place.chunk].elements.remove(at: place.offset)
        if chunks[place.chunk].elements.isEmpty {
            chunks.remove(at: place.chunk)
            numbers.remove(at: place.chunk)
            starts.remove(at: place.chunk)
        }
        shift(after: place.chunk - 1)
        size -= 1
        return element
    }

    // MARK: - By position

    /// Appends an element, or replaces the one with the same identity in its position.
    @inlinable public mutating func append(_ element: Element) { insert(element, at: count) }

    /// Inserts an element at a position, or replaces the one with the same identity in its position.
    @inlinable public mutating func insert(_ element: Element, at position: Int) {
        precondition((0...count).contains(position), "no position \(position) in a list of \(count)")
        if update(id: element.id, { $0 = element }) { return }
        if chunks.isEmpty { addChunk([], at: 0) }
        let chunk = position == count ? chunks.count - 1 : chunkIndex(of: position)
        own(chunk)
        chunks[chunk].elements.insert(element, at: position - starts[chunk])
        table[element.id] = chunks[chunk].number
        size += 1
        if chunks[chunk].elements.count > KeyedList.largestChunk { split(chunk) }
        shift(after: chunk)
    }

    /// Removes an element and inserts it at a position of the remaining list.
    ///
    /// - Returns: false if no element has this identity.
    @discardableResult
    @inlinable public mutating func move(id: Element.ID, to position: Int) -> Bool {
        precondition((0..<Swift.max(count, 1)).contains(position), "no position \(position) in a list of \(count)")
        if firstIndex(id: id) == position { return true }
        guard let element = remove(id: id) else { return false }
        insert(element, at: position)
        return true
    }

    @inlinable func chunkIndex(of position: Int) -> Int {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle } else { high = middle }
        }
        return low
    }

    // MARK: - Chunks

    @inlinable func place(of id: Element.ID) -> (chunk: Int, offset: Int)? {
        guard let number = table[id], let chunk = numbers.firstIndex(of: number),
            let offset = chunks[chunk].elements.firstIndex(where: { $0.id == id })
        else { return nil }
        return (chunk, offset)
    }

    /// Makes a chunk unique to this list by copying it if it is shared.
    @inlinable mutating func own(_ chunk: Int) {
        if isKnownUniquelyReferenced(&chunks[chunk]) { return }
        chunks[chunk] = Chunk(chunks[chunk].number, chunks[chunk].elements)
    }

    @inlinable mutating func addChunk(_ elements: [Element], at index: Int) {
        chunks.insert(Chunk(nextNumber, elements), at: index)
        numbers.insert(nextNumber, at: index)
        starts.insert(0, at: index)
        for element in elements { table[element.id] = nextNumber }
        nextNumber += 1
    }

    @inlinable mutating func split(_ chunk: Int) {
        let half = chunks[chunk].elements.count / 2
        let rest = Array(chunks[chunk].elements[half...])
        chunks[chunk].elements.removeSubrange(half...)
        addChunk(rest, at: chunk + 1)
    }

    /// Recomputes the starting positions of the chunks after this one.
    @inlinable mutating func shift(after chunk: Int) {
        for index in Swift.max(chunk + 1, 0)..<Swift.max(chunks.count, chunk + 1) {
            starts[index] = index == 0 ? 0 : starts[index - 1] + chunks[index - 1].elements.count
        }
    }
}

// Unchecked: a chunk is changed only by the one list that owns it.
extension KeyedList: @unchecked Sendable where Element: RxSendable, Element.ID: RxSendable {}

extension KeyedList: RandomAccessCollection {
    /// Always 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of elements.
    @inlinable public var endIndex: Int { count }

    /// The element at `position`, which must be in bounds.
    @inlinable public subscript(position: Int) -> Element {
        precondition((0..<count).contains(position), "no position \(position) in a list of \(count)")
        let chunk = chunkIndex(of: position)
        return chunks[chunk].elements[position - starts[chunk]]
    }
}

extension KeyedList: ExpressibleByArrayLiteral {
    /// Creates a list of `elements`. If an identity repeats, the later element replaces the earlier one in its
    /// position.
    @inlinable public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension KeyedList: Equatable where Element: Equatable {
    /// Whether both lists have equal elements in the same order. Skips shared chunks.
    @inlinable public static func == (left: Self, right: Self) -> Bool {
        if left.count != right.count { return false }
        if left.numbers == right.numbers {
            return zip(left.chunks, right.chunks).allSatisfy { $0 === $1 || $0.elements == $1.elements }
                || left.elementsEqual(right)
        }
        return left.elementsEqual(right)
    }
}
