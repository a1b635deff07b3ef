internal import RxJSON
internal import RxTime

/// Elements in order, each stored under a name of its own: what changes in a turn costs as much as the elements that
/// came and went, however many wait.
// Unchecked: belongs to the stream's turn.
final class ElementQueue: StoredValue, @unchecked Sendable {
    struct Item {
        let element: StreamElement
        /// When something happens to the element: what that is, the step decides.
        let due: Instant
    }

    private let scope: StateScope
    private let name: String
    private let counter: StepCounter
    private let isKept: Bool
    /// The items from `start` on; those before it are gone.
    private var items: [Item] = []
    private var start = 0
    /// The number of the first item; an item keeps its number.
    private var firstNumber = 0
    /// The numbers of the items that are in the store.
    private var stored = 0..<0
    private var bytes = 0

    init(_ scope: StateScope, _ name: String, _ counter: StepCounter) {
        self.scope = scope
        self.name = name
        self.counter = counter
        isKept = scope.isKept
        super.init()
        restore()
        scope.add(self)
    }

    deinit { tally(-count, -bytes) }

    private func restore() {
        let prefix = name + "/"
        let numbers = scope.unrestored(prefix).compactMap { Int(Substring($0.utf8.dropFirst(prefix.utf8.count))) }
            .sorted()
        guard let first = numbers.first, let last = numbers.last else { return }
        firstNumber = last + 1
        stored = first..<last + 1
        for number in numbers {
            guard let item = scope.restore(itemName(number)).flatMap({ Item(stored: $0.value()) }) else { continue }
            items.append(item)
            tally(1, item.element.cost)
        }
        // All numbers from the first to the last are there, unless the store is damaged: then all are stored anew.
        if items.count == numbers.count, numbers.count == stored.count {
            firstNumber = first
        } else {
            note(in: scope)
        }
    }

    private func itemName(_ number: Int) -> String { "\(name)/\(number)" }

    // MARK: Elements

    var count: Int { items.count - start }
    var isEmpty: Bool { items.count == start }
    var first: Item? { isEmpty ? nil : items[start] }
    var last: Item? { isEmpty ? nil : items.last }
    var values: some Sequence<RawJSON> { items[start...].lazy.map(\.element.value) }

    var elements: [StreamElement] { items[start...].map(\.element) }

    /// Whether the step, in all of its groups, holds as many elements or bytes as it may.
    var isFull: Bool { counter.isFull }

    func append(_ element: StreamElement, due: Instant) {
        items.append(Item(element: element, due: due))
        tally(1, element.cost)
        changed()
    }

    /// Takes the first item.
    @discardableResult
    func takeFirst() -> Item? {
        guard let item = first else { return nil }
        start += 1
        firstNumber += 1
        tally(-1, -item.element.cost)
        // Removing items one by one would take time for each of those behind.
        if start * 2 >= items.count {
            items.removeFirst(start)
            start = 0
        }
        changed()
        return item
    }

    func removeAll() {
        guard !isEmpty else { return }
        tally(-count, -bytes)
        firstNumber += count
        items = []
        start = 0
        changed()
    }

    private func tally(_ elements: Int, _ bytes: Int) {
        self.bytes += bytes
        counter.waiting += elements
        counter.waitingBytes += bytes
    }

    private func changed() { if isKept { note(in: scope) } }

    // MARK: Storing

    override var storedNames: [String] { stored.map(itemName) }

    override func addChanges(to changes: inout [String: RawJSON?]) {
        let present = firstNumber..<firstNumber + count
        for number in stored where !present.contains(number) { changes[itemName(number)] = .some(nil) }
        for number in present where !stored.contains(number) {
            changes[itemName(number)] = items[start + number - firstNumber].stored
        }
        stored = present
    }
}

extension ElementQueue.Item {
    fileprivate init?(stored json: JSONValue) {
        guard let element = json["element"].flatMap(StreamElement.init(stored:)),
            let due = json["due"].flatMap(Instant.init(stored:))
        else { return nil }
        self.init(element: element, due: due)
    }

    fileprivate var stored: RawJSON { RawJSON(["element": element.json, "due": due.json]) }
}
