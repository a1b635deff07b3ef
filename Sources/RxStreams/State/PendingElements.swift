internal import RxTime

/// Elements that wait for their time, in its order: the second of the two kinds of state.
// Unchecked: belongs to the stream's turn.
final class PendingElements: @unchecked Sendable {
    private let clock: StreamClock
    private let scope: StateScope
    private let rank: StepRank
    private let queue: ElementQueue
    private let fire: (StreamElement) -> Void
    private var entry: (due: Instant, entry: ClockEntry)?
    private var isClosed = false

    /// - Parameter fire: called in the stream's turn with each element when it is due.
    init(
        _ clock: StreamClock, _ scope: StateScope, _ rank: StepRank, _ queue: ElementQueue,
        fire: @escaping (StreamElement) -> Void
    ) {
        self.clock = clock
        self.scope = scope
        self.rank = rank
        self.queue = queue
        self.fire = fire
        scope.wait(queue.count)
        arm()
    }

    var count: Int { queue.count }
    var isEmpty: Bool { queue.isEmpty }
    /// Whether the step holds as many elements as it may.
    var isFull: Bool { queue.isFull }

    /// Adds an element that is due no earlier than those that wait.
    func append(_ element: StreamElement, due: Instant) {
        queue.append(element, due: due)
        scope.wait(1)
        arm()
    }

    /// Only this element waits from now on.
    func replace(with element: StreamElement, due: Instant) {
        removeAll()
        append(element, due: due)
    }

    /// Nothing waits any more.
    func removeAll() {
        scope.wait(-queue.count)
        queue.removeAll()
    }

    /// Takes the first one that waits.
    @discardableResult
    func takeFirst() -> StreamElement? {
        guard let item = queue.takeFirst() else { return nil }
        scope.wait(-1)
        return item.element
    }

    /// Nothing is emitted any more.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        scope.wait(-queue.count)
        entry?.entry.cancel()
        entry = nil
    }

    /// One entry of the clock serves all elements. It stays where it is if it is early: an element that is put off
    /// again and again costs nothing.
    private func arm() {
        guard let due = queue.first?.due, !isClosed else { return }
        if let entry, entry.due <= due { return }
        entry?.entry.cancel()
        entry = (due, clock.schedule(at: due, rank) { [weak self] in self?.wake() })
    }

    private func wake() {
        entry = nil
        while !isClosed, let item = queue.first, item.due <= clock.instant {
            takeFirst()
            fire(item.element)
            guard clock.mayGoOn() else { break }
        }
        arm()
    }
}
