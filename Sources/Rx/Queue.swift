/// First in, first out, at constant cost each.
struct Queue<Element> {
    /// How many places that were left may stay at the head: enough that closing up costs little each.
    private static var maximumSpent: Int { 32 }

    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }

    /// The next to go, which stays.
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        if isEmpty { return nil }
        defer {
            elements[head] = nil
            head += 1
            // Half of the places at least: closing up moves no more elements than were taken out.
            if head == elements.count || (head >= Queue.maximumSpent && head * 2 >= elements.count) {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }

    mutating func removeAll() -> [Element] {
        defer { self = Queue() }
        return elements[head...].compactMap { $0 }
    }
}
