/// Runs the actions of a `ClockScheduler`: while there are any, one task runs those that are due and sleeps until the
/// next one.
///
/// The task alone has the queue, so instants are compared without a lock. What is scheduled meanwhile waits in a list,
/// and shortens the sleep if it is due earlier.
final class ClockDriver<ClockType: Clock>: @unchecked Sendable where ClockType.Duration == Duration {
    // Unchecked: `state` has its own lock, and the rest is immutable.
    typealias Agenda = VirtualTimeQueue<ClockTime<ClockType.Instant>>

    /// The number of actions after which the task lets others have the thread.
    private static var turn: Int { 64 }
    /// The number of canceled actions that may stay in the queue until their time, if they are fewer than half of it.
    private static var canceledActions: Int { 64 }

    private struct Sleep {
        let entry: Agenda.Entry
        /// The number of actions in the queue.
        let count: Int
        let task: Task<Void, Never>
    }

    private struct State {
        /// The number of actions scheduled so far.
        var number = 0
        /// What the task has not put into its queue yet.
        var arrived: [Agenda.Entry] = []
        var isRunning = false
        var sleep: Sleep?
        /// The number of actions canceled since the queue was last cleared of them.
        var canceled = 0
    }

    let clock: ClockType
    let time: ClockTime<ClockType.Instant>
    private let tolerance: Duration?
    private let state = Locked(State())

    init(_ clock: ClockType, _ time: ClockTime<ClockType.Instant>, _ tolerance: Duration?) {
        self.clock = clock
        self.time = time
        self.tolerance = tolerance
    }

    func schedule(
        at due: ClockType.Instant, _ action: @escaping @Sendable () -> any Disposable
    ) -> any Disposable {
        let item = VirtualTimeItem(action)
        let (isIdle, sleep) = state.withLock { state in
            state.arrived.append(Agenda.Entry(time: due, number: state.number, item: item))
            state.number += 1
            defer { state.isRunning = true }
            return (!state.isRunning, state.sleep)
        }
        if isIdle {
            // Detached: whoever comes first must not lend its task-local values to the others.
            Task.detached { await self.run() }
        } else if let sleep, due < sleep.entry.time {
            sleep.task.cancel()
        }
        return ClockItem(item, self)
    }

    /// Ends the sleep if it is for this item, which was canceled, or if canceled items fill the queue.
    fileprivate func forget(_ item: VirtualTimeItem) {
        let sleep = state.withLock { state -> Sleep? in
            state.canceled += 1
            guard let sleep = state.sleep else { return nil }
            let waiting = sleep.count + state.arrived.count
            return sleep.entry.item === item || ClockDriver.isCrowded(state.canceled, of: waiting) ? sleep : nil
        }
        sleep?.task.cancel()
    }

    private static func isCrowded(_ canceled: Int, of count: Int) -> Bool {
        canceled > canceledActions && canceled > count / 2
    }

    private func run() async {
        var agenda = Agenda(time)
        while let next = await runDue(&agenda) {
            let task = Task { _ = try? await clock.sleep(until: next.time, tolerance: tolerance) }
            let mayRest = state.withLock { state in
                guard state.arrived.isEmpty, !next.item.isDisposed,
                    !ClockDriver.isCrowded(state.canceled, of: agenda.entries.count)
                else { return false }
                state.sleep = Sleep(entry: next, count: agenda.entries.count, task: task)
                return true
            }
            if !mayRest { task.cancel() }
            await task.value
            state.withLock { $0.sleep = nil }
        }
    }

    /// Runs what is due and returns the action to wait for. If there is none, the task is over.
    private func runDue(_ agenda: inout Agenda) async -> Agenda.Entry? {
        var count = 0
        while true {
            collect(&agenda)
            if let due = agenda.takeFirst(until: clock.now) {
                due.item.run()
                count += 1
                if count.isMultiple(of: ClockDriver.turn) { await Task.yield() }
            } else if let next = agenda.first() {
                return next
            } else {
                let isOver = state.withLock { state in
                    if state.arrived.isEmpty { state.isRunning = false }
                    return !state.isRunning
                }
                if isOver { return nil }
            }
        }
    }

    /// Takes over what was scheduled, and drops canceled actions if there are many.
    private func collect(_ agenda: inout Agenda) {
        var arrived: [Agenda.Entry] = []
        let isCrowded = state.withLock { state in
            swap(&arrived, &state.arrived)
            let isCrowded = ClockDriver.isCrowded(state.canceled, of: agenda.entries.count + arrived.count)
            if isCrowded { state.canceled = 0 }
            return isCrowded
        }
        for entry in arrived { agenda.insert(entry) }
        if isCrowded { agenda = Agenda(time, agenda.entries.filter { !$0.item.isDisposed }) }
    }
}

/// What scheduling on a clock returns: cancels the action, and the sleep that is only for it.
private final class ClockItem<ClockType: Clock>: DisposeBase, Cancelable, @unchecked Sendable
where ClockType.Duration == Duration {
    // Unchecked: immutable.
    private let item: VirtualTimeItem
    private let driver: ClockDriver<ClockType>

    init(_ item: VirtualTimeItem, _ driver: ClockDriver<ClockType>) {
        self.item = item
        self.driver = driver
    }

    var isDisposed: Bool { item.isDisposed }

    override func dispose() {
        let isWaiting = item.isWaiting
        item.dispose()
        if isWaiting { driver.forget(item) }
    }
}
