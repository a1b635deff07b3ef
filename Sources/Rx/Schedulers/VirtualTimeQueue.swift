/// The scheduled actions of a virtual-time scheduler: a binary heap, ordered by time and then by order of scheduling.
struct VirtualTimeQueue<Converter: VirtualTimeConverterType> {
    typealias VirtualTime = Converter.VirtualTimeUnit

    struct Entry {
        let time: VirtualTime
        let number: Int
        let item: VirtualTimeItem
    }

    private let converter: Converter
    private(set) var entries: [Entry] = []

    init(_ converter: Converter) {
        self.converter = converter
    }

    init(_ converter: Converter, _ entries: [Entry]) {
        self.converter = converter
        for entry in entries { insert(entry) }
    }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var hole = entries.count - 1
        while hole > 0 {
            let parent = (hole - 1) / 2
            guard precedes(entry, entries[parent]) else { break }
            entries[hole] = entries[parent]
            hole = parent
        }
        entries[hole] = entry
    }

    /// Removes and returns the first action that is not disposed, unless it is due after `limit`.
    mutating func takeFirst(until limit: VirtualTime?) -> Entry? {
        while let first = entries.first {
            if first.item.isDisposed {
                removeFirst()
                continue
            }
            if let limit, converter.compareVirtualTime(first.time, limit) == .greaterThan { return nil }
            removeFirst()
            return first
        }
        return nil
    }

    /// The first action that is not disposed. Removes those that precede it.
    mutating func first() -> Entry? {
        while let first = entries.first, first.item.isDisposed { removeFirst() }
        return entries.first
    }

    /// The times of actions that are not disposed, in order.
    var times: [VirtualTime] {
        var rest = self
        var times: [VirtualTime] = []
        while let entry = rest.takeFirst(until: nil) { times.append(entry.time) }
        return times
    }

    /// Replaces the first entry by the last and restores the heap order.
    private mutating func removeFirst() {
        let last = entries.removeLast()
        if entries.isEmpty { return }
        var hole = 0
        while true {
            var child = 2 * hole + 1
            if child >= entries.count { break }
            if child + 1 < entries.count, precedes(entries[child + 1], entries[child]) { child += 1 }
            guard precedes(entries[child], last) else { break }
            entries[hole] = entries[child]
            hole = child
        }
        entries[hole] = last
    }

    private func precedes(_ one: Entry, _ other: Entry) -> Bool {
        switch converter.compareVirtualTime(one.time, other.time) {
        case .lessThan: true
        case .equal: one.number < other.number
        case .greaterThan: false
        }
    }
}

/// A scheduled action. Disposing it releases the action, or disposes the result of its run.
final class VirtualTimeItem: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `lock` guards `action`, and the slot is atomic.
    private let lock = Lock()
    private var action: (@Sendable () -> any Disposable)?
    private let slot = DisposableSlot()

    init(_ action: @escaping @Sendable () -> any Disposable) {
        self.action = action
        super.init()
    }

    var isDisposed: Bool { slot.isDisposed }

    /// Whether it is neither running, nor over, nor disposed.
    var isWaiting: Bool { lock.withLock { action != nil } }

    func run() {
        guard let action = takeAction(), !isDisposed else { return }
        _ = slot.set(.from(action()))
    }

    override func dispose() {
        _ = takeAction()
        slot.dispose()
    }

    private func takeAction() -> (@Sendable () -> any Disposable)? {
        lock.withLock {
            defer { action = nil }
            return action
        }
    }
}
