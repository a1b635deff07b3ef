/// First in, first out, without moving what waits at each removal.
struct Queue<Element> {
    /// How many removed places may stay at the head: enough that closing the gap costs little each.
    private static var maximumSpent: Int { 64 }

    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { head < elements.count ? elements[head] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func removeAll() -> [Element] {
        defer { self = Queue() }
        return elements[head...].compactMap { $0 }
    }

    @discardableResult
    mutating func removeFirst() -> Element? {
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
