/// A first-in, first-out queue. Appending and removing take constant time, on average.
///
/// For every plain queue in modules that import `Rx`. `Ring` is faster in generic code that is not specialized.
package struct Queue<Element> {
    /// The most removed places at the head; enough to amortize the cost of closing the gap.
    @usableFromInline static var maximumSpent: Int { 64 }
    /// A larger capacity is freed when the queue becomes empty.
    @usableFromInline static var largestKept: Int { 4096 }

    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    @inlinable package init() {}

    @inlinable package var count: Int { elements.count - head }
    @inlinable package var isEmpty: Bool { count == 0 }
    @inlinable package var first: Element? { head < elements.count ? elements[head] : nil }
    @inlinable package var last: Element? { head < elements.count ? elements[elements.count - 1] : nil }

    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    /// Inserts elements before the first one. Takes time in proportion to the number of all elements.
    @inlinable
    package mutating func prepend(_ others: [Element]) {
        elements.replaceSubrange(..<head, with: others.map { $0 })
        head = 0
    }

    /// Removes all elements and keeps the memory.
    @inlinable
    package mutating func clear() {
        elements.removeAll(keepingCapacity: true)
        head = 0
    }

    /// Removes and returns all elements.
    @inlinable
    package mutating func removeAll() -> [Element] {
        defer { self = Queue() }
        return elements[head...].compactMap { $0 }
    }

    /// Removes and returns the first element; nil if there is none.
    @discardableResult @inlinable
    package mutating func removeFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= Queue.largestKept)
            head = 0
        } else if head >= Queue.maximumSpent, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes and returns the first elements, `most` at most.
    @inlinable
    package mutating func removeFirst(atMost most: Int) -> [Element] {
        var removed: [Element] = []
        removed.reserveCapacity(Swift.min(most, count))
        while removed.count < most, let element = removeFirst() { removed.append(element) }
        return removed
    }

    /// Replaces the first element. Without one, that is a programming error.
    @inlinable package mutating func replaceFirst(_ element: Element) { elements[head] = element }
}

extension Queue: Sendable where Element: RxSendable {}
