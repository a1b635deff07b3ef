/// What waits in virtual time: a binary heap, ordered by time and then by the order of scheduling.
struct VirtualTimeQueue<Converter: VirtualTimeConverterType> {
    typealias Item = VirtualTimeItem<Converter.VirtualTimeUnit>

    private let converter: Converter
    private(set) var items: [Item] = []

    init(_ converter: Converter) {
        self.converter = converter
    }

    init(_ converter: Converter, _ items: [Item]) {
        self.converter = converter
        for item in items { insert(item) }
    }

    mutating func insert(_ item: Item) {
        items.append(item)
        var child = items.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard precedes(child, parent) else { return }
            items.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the first that is not disposed, unless it is due after `limit`.
    mutating func takeFirst(until limit: Converter.VirtualTimeUnit?) -> Item? {
        while let first = items.first {
            if first.isDisposed {
                removeFirst()
                continue
            }
            if let limit, converter.compareVirtualTime(first.time, limit) == .greaterThan { return nil }
            removeFirst()
            return first
        }
        return nil
    }

    /// The times of what is not disposed, in order.
    var times: [Converter.VirtualTimeUnit] {
        var rest = self
        var times: [Converter.VirtualTimeUnit] = []
        while let item = rest.takeFirst(until: nil) { times.append(item.time) }
        return times
    }

    private mutating func removeFirst() {
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var parent = 0
        while true {
            let left = 2 * parent + 1, right = left + 1
            var first = parent
            if left < items.count, precedes(left, first) { first = left }
            if right < items.count, precedes(right, first) { first = right }
            if first == parent { return }
            items.swapAt(parent, first)
            parent = first
        }
    }

    private func precedes(_ one: Int, _ other: Int) -> Bool {
        let one = items[one], other = items[other]
        return switch converter.compareVirtualTime(one.time, other.time) {
        case .lessThan: true
        case .equal: one.id < other.id
        case .greaterThan: false
        }
    }
}

/// An action and its time. Disposing it lets go of the action, or disposes what that returned.
final class VirtualTimeItem<VirtualTime: Sendable>: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `id` is set before others see the item, `action` is guarded by `lock`, the slot is atomic.
    let time: VirtualTime
    var id = 0
    private let lock = Lock()
    private var action: (@Sendable () -> any Disposable)?
    private let slot = DisposableSlot()

    init(_ time: VirtualTime, _ action: @escaping @Sendable () -> any Disposable) {
        self.time = time
        self.action = action
        super.init()
    }

    var isDisposed: Bool { slot.isDisposed }

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
