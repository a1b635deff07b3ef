/// A first-in, first-out queue that does not move its elements at each removal.
package struct Queue<Element> {
    /// The most removed places at the head; enough to amortize the cost of closing the gap.
    @usableFromInline static var maximumSpent: Int { 64 }

    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    @inlinable package init() {}

    @inlinable package var count: Int { elements.count - head }
    @inlinable package var isEmpty: Bool { count == 0 }
    @inlinable package var first: Element? { head < elements.count ? elements[head] : nil }

    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    @inlinable package mutating func removeAll() -> [Element] {
        defer { self = Queue() }
        return elements[head...].compactMap { $0 }
    }

    @discardableResult @inlinable
    package mutating func removeFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count || (head >= Queue.maximumSpent && head * 2 >= elements.count) {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}

extension Queue: Sendable where Element: Sendable {}
