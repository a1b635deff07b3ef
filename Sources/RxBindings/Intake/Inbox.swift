internal import Rx
internal import RxJSON
internal import RxStreams

/// What a stream has to process, in the order of arrival.
///
/// Sources that can wait have one batch each in it. Of the elements of others, the oldest of the user who has most are
/// dropped beyond `StreamLimits`, and of those of executions, the oldest. Of the values of a level, the newest waits,
/// in the place of the oldest.
struct Inbox {
    enum Item: Sendable {
        /// Elements of a source, by the index of its port. `isPaced`: the source can wait.
        case elements([StreamElement], port: Int, isPaced: Bool)
        /// A current value, of those of a port the one with the key. `isReplay`: it was current before the stream began
        /// to read it, so it may be known.
        case level(StreamElement, key: String, port: Int, isReplay: Bool)
        /// A source has ended.
        case end(port: Int)
        /// Something else that happens in a turn: the end of an execution, a switch.
        case work(@Sendable () -> Void)
    }

    /// An element of an execution that a step has requested.
    struct Result: Sendable {
        /// Approximate bytes of memory.
        let size: Int
        /// The place of the step.
        let step: String
        /// Passes it to the step.
        let body: @Sendable () -> Void
    }

    /// One of the current values of a port.
    private struct Slot: Hashable {
        let port: Int
        let key: String
    }

    private var items = Queue<(number: Int, item: Item)>()
    private var unpaced = UnpacedElements()
    private var results = Queue<(number: Int, result: Result)>()
    private var resultBytes = 0
    private var levels = Queue<(number: Int, slot: Slot)>()
    private var values: [Slot: (element: StreamElement, isReplay: Bool)] = [:]
    /// The number of the next item: the order of arrival.
    private var number = 0
    /// The number of the first item that was put back; each later one comes before it.
    private var firstNumber = 0
    /// Elements of sources that can wait.
    private(set) var paced = 0
    /// What waits at the `on`s: it counts as if it were here.
    var beyond = InboxSize()

    var isEmpty: Bool { items.isEmpty && unpaced.isEmpty && results.isEmpty && levels.isEmpty }

    private mutating func next() -> Int {
        number += 1
        return number
    }

    mutating func append(_ item: Item) {
        if case .elements(let elements, _, _) = item { paced += elements.count }
        items.append((next(), item))
    }

    /// Appends elements of a source that cannot wait.
    ///
    /// - Returns: those that had to be dropped.
    mutating func append(unpaced added: [StreamElement], port: Int) -> [StreamElement] {
        for element in added { unpaced.append(UnpacedElements.Item(number: next(), element: element, port: port)) }
        var dropped: [StreamElement] = []
        while unpaced.size.elements + beyond.elements > StreamLimits.pendingElements,
            let item = unpaced.removeOfMostElements()
        {
            dropped.append(item.element)
        }
        while unpaced.size.bytes + beyond.bytes > StreamLimits.pendingBytes, let item = unpaced.removeOfMostBytes() {
            dropped.append(item.element)
        }
        return dropped
    }

    /// Appends an element of an execution.
    ///
    /// - Returns: how many of the oldest had to be dropped, by the places of their steps.
    mutating func append(_ result: Result) -> [String: Int] {
        results.append((next(), result))
        resultBytes += result.size
        var dropped: [String: Int] = [:]
        while results.count > StreamLimits.pendingElements || resultBytes > StreamLimits.pendingBytes,
            let first = takeResult()
        {
            dropped[first.step, default: 0] += 1
        }
        return dropped
    }

    /// Appends a current value, in place of one that waits. As there is at most one for each key, they need no limit.
    ///
    /// - Parameter key: which of the port's current values it is.
    /// - Returns: whether one waited.
    mutating func append(level element: StreamElement, _ key: String, port: Int, isReplay: Bool) -> Bool {
        let slot = Slot(port: port, key: key)
        let waiting = values[slot]
        values[slot] = (element, isReplay || waiting?.isReplay ?? false)
        if waiting == nil { levels.append((next(), slot)) }
        return waiting != nil
    }

    /// Puts back what was taken and not processed: it is taken next. A value of a level that has come since stays.
    mutating func putBack(_ item: Item) {
        switch item {
        case .elements(let elements, let port, isPaced: false):
            firstNumber -= elements.count
            unpaced.prepend(
                elements.enumerated().map {
                    UnpacedElements.Item(number: firstNumber + $0.offset, element: $0.element, port: port)
                })
        case .elements(let elements, _, isPaced: true):
            paced += elements.count
            firstNumber -= 1
            items.prepend([(firstNumber, item)])
        case .level(let element, let key, let port, let isReplay):
            let slot = Slot(port: port, key: key)
            if values[slot] == nil {
                values[slot] = (element, isReplay)
                firstNumber -= 1
                levels.prepend([(firstNumber, slot)])
            } else if isReplay {
                values[slot]?.isReplay = true
            }
        case .end, .work:
            firstNumber -= 1
            items.prepend([(firstNumber, item)])
        }
    }

    /// Takes the next item; of a longer batch, at most `most` elements.
    mutating func takeFirst(atMost most: Int) -> Item? {
        let (item, element) = (items.first?.number ?? .max, unpaced.first?.number ?? .max)
        let (level, result) = (levels.first?.number ?? .max, results.first?.number ?? .max)
        let first = min(item, element, level, result)
        if first == .max { return nil }
        if first == level { return takeLevel() }
        if first == result { return takeResult().map { .work($0.body) } }
        return first == item ? takeItem(atMost: most) : takeUnpaced(atMost: most, before: min(item, level, result))
    }

    private mutating func takeResult() -> Result? {
        guard let result = results.removeFirst()?.result else { return nil }
        resultBytes -= result.size
        return result
    }

    private mutating func takeLevel() -> Item? {
        guard let slot = levels.removeFirst()?.slot else { return nil }
        return values.removeValue(forKey: slot).map {
            .level($0.element, key: slot.key, port: slot.port, isReplay: $0.isReplay)
        }
    }

    private mutating func takeItem(atMost most: Int) -> Item? {
        guard let (number, item) = items.first else { return nil }
        guard case .elements(let batch, let port, let isPaced) = item else { return items.removeFirst()?.item }
        paced -= min(most, batch.count)
        guard batch.count > most else { return items.removeFirst()?.item }
        items.replaceFirst((number, .elements(Array(batch.dropFirst(most)), port: port, isPaced: isPaced)))
        return .elements(Array(batch.prefix(most)), port: port, isPaced: isPaced)
    }

    /// Takes elements of one port that came one after the other.
    private mutating func takeUnpaced(atMost most: Int, before end: Int) -> Item? {
        guard let port = unpaced.first?.port else { return nil }
        var batch: [StreamElement] = []
        while batch.count < most, let next = unpaced.first, next.port == port, next.number < end {
            unpaced.removeFirst()
            batch.append(next.element)
        }
        return .elements(batch, port: port, isPaced: false)
    }

    /// Drops all elements, and the ends of sources; what else happens in turns stays.
    mutating func dropElements() {
        var rest = Inbox()
        (rest.number, rest.firstNumber) = (number, firstNumber)
        rest.beyond = beyond
        (rest.results, rest.resultBytes) = (results, resultBytes)
        while let item = items.removeFirst() {
            if case .work = item.item { rest.items.append(item) }
        }
        self = rest
    }
}

/// How many elements wait, and their approximate bytes of memory.
struct InboxSize: Sendable {
    var elements = 0
    var bytes = 0

    static func + (one: InboxSize, other: InboxSize) -> InboxSize {
        InboxSize(elements: one.elements + other.elements, bytes: one.bytes + other.bytes)
    }
}

extension StreamElement {
    /// Approximate bytes of memory.
    var size: Int { value.utf8.count + 64 }
}
