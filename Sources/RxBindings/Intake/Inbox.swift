internal import RxJSON
internal import RxStreams
internal import RxTime

/// What a stream has to process, in the order of arrival.
struct Inbox {
    enum Item: Sendable {
        /// Elements of a source, by the index of its port.
        case elements([StreamElement], port: Int)
        /// A source has ended.
        case end(port: Int)
        /// Something else that happens in a turn: the end of an execution, a switch.
        case work(@Sendable () -> Void)
    }

    private var items: [Item] = []
    private var start = 0
    /// Elements of sources that cannot wait.
    private(set) var elements = 0
    private(set) var bytes = 0

    var isEmpty: Bool { start == items.count }

    mutating func append(_ item: Item) { items.append(item) }

    /// Appends elements of a source that cannot wait.
    ///
    /// - Returns: how many of the oldest elements had to be dropped.
    mutating func append(unpaced added: [StreamElement], port: Int) -> Int {
        items.append(.elements(added, port: port))
        elements += added.count
        bytes += added.reduce(0) { $0 + $1.value.utf8.count + 64 }
        var dropped = 0
        var index = start
        while elements > StreamLimits.pendingElements || bytes > StreamLimits.pendingBytes, index < items.count {
            if case .elements(let old, let port) = items[index] {
                var old = old
                while !old.isEmpty, elements > StreamLimits.pendingElements || bytes > StreamLimits.pendingBytes {
                    let first = old.removeFirst()
                    elements -= 1
                    bytes -= first.value.utf8.count + 64
                    dropped += 1
                }
                items[index] = .elements(old, port: port)
            }
            index += 1
        }
        return dropped
    }

    /// Takes the next item; of a longer batch, at most `most` elements.
    mutating func takeFirst(atMost most: Int) -> Item? {
        guard start < items.count else { return nil }
        let item = items[start]
        if case .elements(let batch, let port) = item, batch.count > most {
            items[start] = .elements(Array(batch.dropFirst(most)), port: port)
            return .elements(Array(batch.prefix(most)), port: port)
        }
        start += 1
        if start == items.count {
            items.removeAll(keepingCapacity: items.count < 1024)
            start = 0
        }
        return item
    }

    /// Drops all elements, and the ends of sources; what else happens in turns stays.
    mutating func dropElements() {
        items = items[start...].filter { item in
            switch item {
            case .elements, .end: false
            case .work: true
            }
        }
        (start, elements, bytes) = (0, 0, 0)
    }

    /// Drops everything.
    ///
    /// - Returns: what was dropped.
    mutating func removeAll() -> [Item] {
        defer { self = Inbox() }
        return items
    }

    mutating func noteTaken(unpaced taken: [StreamElement]) {
        elements -= taken.count
        bytes -= taken.reduce(0) { $0 + $1.value.utf8.count + 64 }
    }
}
