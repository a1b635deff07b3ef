/// A first-in, first-out queue.
struct Line<Element> {
    private var elements: [Element?] = []
    private var start = 0

    /// The most gaps at the front before the rest is moved up.
    private static var mostGaps: Int { 1024 }

    var count: Int { elements.count - start }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func prepend(_ others: [Element]) {
        elements.replaceSubrange(..<start, with: others.map { $0 })
        start = 0
    }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            elements[start] = nil
            start += 1
            if start == elements.count {
                elements.removeAll(keepingCapacity: start <= Self.mostGaps)
                start = 0
            } else if start > Self.mostGaps, start > elements.count / 2 {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }

    mutating func removeFirst() { popFirst() }
}
