internal import Dispatch

/// The pending work of the main queue: a separate list, from which each turn of the main queue takes one item.
///
/// Separate from the dispatch queue so that a caller that blocks the main queue (see `toBlocking`) can run the work
/// that it waits for; a block of the main queue cannot run another one.
package final class MainQueue: Sendable {
    package static let shared = MainQueue()

    private let waiting = Locked(Queue<TrampolineItem>())
    private let mark = DispatchSpecificKey<Bool>()
    /// The queue for timers of the main queue.
    private let clock = DispatchQueue(label: "rx.main.timers", qos: .userInitiated)

    private init() {
        DispatchQueue.main.setSpecific(key: mark, value: true)
    }

    /// Whether the caller runs on the main queue or the main thread.
    ///
    /// The check concerns the queue, because on Linux other threads serve it in a program with an async `main`.
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

    func schedule<State: RxSendable>(
        _ state: State, _ action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state, action)
        enqueue(item)
        return item
    }

    func schedule<State: RxSendable>(
        _ state: State, after due: DispatchTimeInterval, _ action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let item = ScheduledItem(state, action)
        let timer = DispatchQueueTimers(queue: clock, leeway: .nanoseconds(0)).schedule(item, after: due) { item in
            self.enqueue(item)
            return Disposables.create()
        }
        return CompositeDisposable(timer, item)
    }

    /// Schedules a periodic action. Like a dispatch timer, skips ticks while one is waiting.
    func schedulePeriodic<State: RxSendable>(
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
        waiting.withLock { $0.append(item) }
        DispatchQueue.main.async { _ = self.runNext() }
    }

    /// Runs the oldest waiting item. Returns false if there is none. Call it only on the main queue.
    package func runNext() -> Bool {
        let item = waiting.withLock { $0.removeFirst() }
        item?.run()
        return item != nil
    }
}
