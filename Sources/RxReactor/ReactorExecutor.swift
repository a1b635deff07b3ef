internal import Glibc
public import Rx
internal import Synchronization

/// Runs the turns of one reactor, one at a time.
///
/// A turn runs at once on the calling thread if none is under way. Otherwise it is queued, and the thread in the
/// current turn runs it. No caller blocks. If the reactor has a scheduler, turns run there, and at once if the caller
/// is already there. When the reactor is released, queued turns are dropped.
public final class ReactorExecutor: ImmediateSchedulerType, @unchecked Sendable {
    // Unchecked: mutable state is guarded by `lock` or atomic.
    typealias Turn = @Sendable () -> Void

    private enum Phase {
        case idle
        /// Turns are running, or are scheduled to run.
        case busy
        case closed
    }

    /// The most turns in one go on a scheduler, which is shared with other users.
    private static let turnsAtOnce = 256

    private let lock = Lock()
    @exclusivity(unchecked) private var phase = Phase.idle
    @exclusivity(unchecked) private var waiting = Queue<Turn>()
    /// Checked after each turn, because it is cheaper than checking the queue.
    @exclusivity(unchecked) private var isAnyWaiting = false
    /// nil: turns run on the thread of the first caller.
    @exclusivity(unchecked) private var scheduler: (any ImmediateSchedulerType)?
    /// Whether the caller is already on the scheduler; nil if that cannot be determined.
    @exclusivity(unchecked) private var isThere: (@Sendable () -> Bool)?
    /// The thread in a turn.
    private let owner = Atomic<UInt>(0)

    init() {}

    /// Whether the caller is within a turn of this executor.
    public var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs `action` in a turn, at once if the caller is already in one.
    #if Migration
        @preconcurrency
    #endif
    public func schedule<State: RxSendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        if isCurrent { return action(state) }
        let disposable = SingleAssignmentDisposable()
        submit {
            if !disposable.isDisposed { disposable.setDisposable(action(state)) }
        }
        return disposable
    }

    /// Runs `body` in the caller's current turn, or else in a new one.
    func inTurn(_ body: @escaping Turn) {
        if isCurrent {
            body()
        } else if enter() {
            body()
            leave()
        } else {
            submit(body)
        }
    }

    /// Begins a turn on this thread if none is under way and turns may run here. Returns whether it did; if so, call
    /// `leave` afterwards.
    func enter() -> Bool {
        lock.lock()
        guard phase == .idle, isHere else {
            lock.unlock()
            return false
        }
        phase = .busy
        lock.unlock()
        owner.store(UInt(pthread_self()), ordering: .relaxed)
        return true
    }

    /// Begins the first turn, always on this thread. Later turns run on `scheduler`.
    func enterFirst(_ scheduler: (any ImmediateSchedulerType)?) {
        let isThere = ReactorExecutor.isThere(scheduler)
        lock.withLock {
            phase = .busy
            self.scheduler = scheduler
            self.isThere = isThere
        }
        owner.store(UInt(pthread_self()), ordering: .relaxed)
    }

    private static func isThere(_ scheduler: (any ImmediateSchedulerType)?) -> (@Sendable () -> Bool)? {
        switch scheduler {
        // Checks the queue only; the scheduler's own check also considers its other work.
        case is MainScheduler: return { MainQueue.shared.isCurrent }
        case let serial as SerialDispatchQueueScheduler:
            serial.markQueue()
            return { serial.isCurrent }
        default: return nil
        }
    }

    /// Ends the turn and runs queued ones.
    func leave() { takeTurns(isFirst: true) }

    /// Whether turns may run on this thread. Called with the lock held.
    private var isHere: Bool { scheduler == nil || isThere?() == true }

    /// Runs a turn as soon as possible.
    func submit(_ turn: @escaping Turn) {
        lock.lock()
        switch phase {
        case .closed:
            lock.unlock()
        case .busy:
            waiting.append(turn)
            isAnyWaiting = true
            lock.unlock()
        case .idle:
            waiting.append(turn)
            isAnyWaiting = true
            phase = .busy
            let scheduler = scheduler
            lock.unlock()
            begin(on: scheduler)
        }
    }

    private func begin(on scheduler: (any ImmediateSchedulerType)?) {
        guard let scheduler else { return takeTurns(isFirst: false) }
        _ = scheduler.schedule(self) { executor in
            executor.takeTurns(isFirst: false)
            return Disposables.create()
        }
    }

    private func takeTurns(isFirst: Bool) {
        if !isFirst { owner.store(UInt(pthread_self()), ordering: .relaxed) }
        var taken = 0
        while true {
            lock.lock()
            guard isAnyWaiting else {
                owner.store(0, ordering: .relaxed)
                if phase == .busy { phase = .idle }
                return lock.unlock()
            }
            // A scheduler's other users get time in between; turns after one on another thread go to the scheduler.
            let isElsewhere =
                scheduler != nil
                && (taken >= ReactorExecutor.turnsAtOnce || (isFirst && taken == 0 && !isHere))
            if isElsewhere {
                owner.store(0, ordering: .relaxed)
                let scheduler = scheduler
                lock.unlock()
                return begin(on: scheduler)
            }
            let turn = waiting.removeFirst()
            isAnyWaiting = !waiting.isEmpty
            lock.unlock()
            taken += 1
            turn?()
        }
    }

    /// Drops queued turns and accepts no more.
    func close() {
        lock.lock()
        phase = .closed
        isAnyWaiting = false
        // Includes the scheduler, which may retain this executor for a turn that never runs.
        let dropped = (waiting.removeAll(), scheduler.take(), isThere.take())
        lock.unlock()
        withExtendedLifetime(dropped) {}
    }
}

extension CurrentThreadScheduler {
    /// Runs `body` such that everything it schedules on the current thread runs before this returns, as a turn
    /// requires.
    static func withinTurn(_ body: () -> Void) {
        if isScheduleRequired { body() } else { apart(body) }
    }
}
