/// A list of elements that have identities, made to be part of a state: a copy shares with its origin all that has not
/// changed since, and what is shared is not looked at when the two are compared.
///
/// All of it is inlinable: specialised for its elements it is some thirty times as fast.
///
/// Changing one of n elements costs a copy of a chunk and of the list of chunks, not of n elements; finding one by its
/// identity a look into a table. An identity comes once: putting it in again replaces the element that has it.
public struct KeyedList<Element: Identifiable> {
    /// A chunk is cut in two when it has more. Small enough to be copied for one change, large enough that the list of
    /// chunks is short.
    @inlinable static var largestChunk: Int { 128 }

    /// Elements that follow each other. Never changed once it is shared.
    @usableFromInline
    final class Chunk {
        /// The same in a changed copy: it tells which chunks of two lists correspond.
        @usableFromInline let number: Int
        @usableFromInline var elements: [Element]

        @inlinable init(_ number: Int, _ elements: [Element]) {
            self.number = number
            self.elements = elements
        }
    }

    @usableFromInline var chunks: [Chunk] = []
    /// Those of the chunks, side by side: searched for by value.
    @usableFromInline var numbers: [Int] = []
    /// Where each chunk begins.
    @usableFromInline var starts: [Int] = []
    /// How many elements there are.
    public var count: Int { @inlinable get { size } }
    @usableFromInline var size = 0
    @usableFromInline var table = KeyedTable<Element.ID>()
    @usableFromInline var nextNumber = 0

    @inlinable public init() {}

    @inlinable public init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    // MARK: - By identity

    /// The element with this identity. Set to nil, it is removed; set to an element of that identity, it is replaced, or
    /// added at the end.
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

    @inlinable public func contains(id: Element.ID) -> Bool { table[id] != nil }

    /// The position of the element with this identity.
    @inlinable public func firstIndex(id: Element.ID) -> Int? { place(of: id).map { starts[$0.chunk] + $0.offset } }

    /// Changes an element in place; false if there is none of this identity, which `change` must not touch.
    @discardableResult
    @inlinable public mutating func update(id: Element.ID, _ change: (inout Element) -> Void) -> Bool {
        guard let place = place(of: id) else { return false }
        own(place.chunk)
        change(&chunks[place.chunk].elements[place.offset])
        precondition(chunks[place.chunk].elements[place.offset].id == id, "an update keeps the identity")
        return true
    }

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

    /// Adds an element at the end, or replaces the one that has its identity where it is.
    @inlinable public mutating func append(_ element: Element) { insert(element, at: count) }

    /// Adds an element at a position, or replaces the one that has its identity where it is.
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

    /// Takes an element away and puts it to a position of the list without it. False if there is none of this identity.
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

    /// Makes a chunk one that only this list has.
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

    /// Counts anew where the chunks after this one begin.
    @inlinable mutating func shift(after chunk: Int) {
        for index in Swift.max(chunk + 1, 0)..<Swift.max(chunks.count, chunk + 1) {
            starts[index] = index == 0 ? 0 : starts[index - 1] + chunks[index - 1].elements.count
        }
    }
}

// Unchecked: chunks are changed only by the one list that has them.
extension KeyedList: @unchecked Sendable where Element: Sendable, Element.ID: Sendable {}

extension KeyedList: RandomAccessCollection {
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { count }

    @inlinable public subscript(position: Int) -> Element {
        precondition((0..<count).contains(position), "no position \(position) in a list of \(count)")
        let chunk = chunkIndex(of: position)
        return chunks[chunk].elements[position - starts[chunk]]
    }
}

extension KeyedList: ExpressibleByArrayLiteral {
    @inlinable public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension KeyedList: Equatable where Element: Equatable {
    @inlinable public static func == (left: Self, right: Self) -> Bool {
        if left.count != right.count { return false }
        if left.numbers == right.numbers {
            return zip(left.chunks, right.chunks).allSatisfy { $0 === $1 || $0.elements == $1.elements }
                || left.elementsEqual(right)
        }
        return left.elementsEqual(right)
    }
}
