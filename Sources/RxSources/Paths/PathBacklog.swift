/// What waits in an order. Taking the first ones costs no more than their number, however many wait: a move of a large
/// directory is as many elements as it has files.
struct PathBacklog<Element> {
    private var elements: [Element] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Removes the first ones, `most` at most.
    mutating func take(_ most: Int) -> [Element] {
        let end = head + min(most, count)
        defer {
            head = end
            // Half of them must have been taken, so that each is copied once on average.
            if head * 2 >= elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return Array(elements[head..<end])
    }
}
