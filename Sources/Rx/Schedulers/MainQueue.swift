internal import Dispatch

/// What waits to run on the main queue: a list of our own, of which each turn of the main queue takes one.
///
/// Kept apart from the dispatch queue so that who must wait there (see `toBlocking`) can run what it waits for: a block of
/// the main queue cannot be run from within another.
package final class MainQueue: Sendable {
    package static let shared = MainQueue()

    private let waiting = Locked(WaitingItems())
    private let mark = DispatchSpecificKey<Bool>()
    /// Where timers of the main queue count.
    private let clock = DispatchQueue(label: "rx.main.timers", qos: .userInitiated)

    private init() {
        DispatchQueue.main.setSpecific(key: mark, value: true)
    }

    /// Whether the caller runs on the main queue, or on the main thread at all.
    ///
    /// The queue is what is asked for: in a program whose `main` is async it is served by other threads on Linux.
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

    func schedule<State: Sendable>(
        _ state: State, _ action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state, action)
        enqueue(item)
        return item
    }

    func schedule<State: Sendable>(
        _ state: State, after due: DispatchTimeInterval, _ action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state, action)
        let timer = DispatchQueueTimers(queue: clock, leeway: .nanoseconds(0)).schedule(item, after: due) { item in
            self.enqueue(item)
            return Disposables.create()
        }
        return CompositeDisposable(timer, item)
    }

    /// As a dispatch timer does, turns that come while one waits are left out.
    func schedulePeriodic<State: Sendable>(
        _ state: State, after due: DispatchTimeInterval, every period: DispatchTimeInterval,
        _ action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        let current = Locked(state)
        let turn = SerialDisposable()
        let isWaiting = Locked(false)
        let timer = DispatchQueueTimers(queue: clock, leeway: .nanoseconds(0))
            .schedulePeriodic((), after: due, every: period) { _ in
                let isLate = isWaiting.withLock { waiting in
                    defer { waiting = true }
                    return waiting
                }
                if isLate { return }
                turn.disposable = self.schedule(()) { _ in
                    isWaiting.withLock { $0 = false }
                    let next = action(current.withLock { $0 })
                    current.withLock { $0 = next }
                    return Disposables.create()
                }
            }
        return CompositeDisposable(timer, turn)
    }

    private func enqueue(_ item: TrampolineItem) {
        waiting.withLock { $0.items.append(item) }
        DispatchQueue.main.async { _ = self.runNext() }
    }

    /// Runs what has waited longest; false when nothing waits. To be called on the main queue only.
    package func runNext() -> Bool {
        let item = waiting.withLock { $0.removeFirst() }
        item?.run()
        return item != nil
    }
}

private struct WaitingItems {
    /// How many items that have run may stay at the head: enough that removing them costs little each.
    static let maximumSpent = 64

    var items: [TrampolineItem] = []
    private var head = 0

    mutating func removeFirst() -> TrampolineItem? {
        guard head < items.count else { return nil }
        let item = items[head]
        head += 1
        if head == items.count || head == WaitingItems.maximumSpent {
            items.removeFirst(head)
            head = 0
        }
        return item
    }
}
