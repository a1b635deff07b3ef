/// A queue: elements leave in the order in which they came, each at a constant cost.
struct FIFO<Element> {
    private var elements: [Element] = []
    /// The elements before this index have left.
    private var start = 0

    var isEmpty: Bool { start == elements.count }
    var count: Int { elements.count - start }
    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func replaceFirst(_ element: Element) { elements[start] = element }

    mutating func removeFirst() -> Element {
        let element = elements[start]
        start += 1
        // So few that moving the rest costs no more than they did.
        if start * 2 >= elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return element
    }
}
