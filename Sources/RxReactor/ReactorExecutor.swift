internal import Glibc
public import Rx
internal import Synchronization

/// Takes the turns of one reactor, one at a time.
///
/// A turn is taken at once, on the calling thread, when none is under way; else after those that wait, by whoever is at it.
/// Nobody is made to wait. Given a scheduler by the reactor, it takes its turns there, and at once when the caller is there
/// already. It goes with its reactor: what waits then is dropped.
public final class ReactorExecutor: ImmediateSchedulerType, @unchecked Sendable {
    // Unchecked: what changes is guarded by `lock`, or atomic.
    typealias Turn = @Sendable () -> Void

    private enum Phase {
        case idle
        /// Turns are taken, or will be by what was asked for at the scheduler.
        case busy
        case closed
    }

    /// So many turns at once on a scheduler, which others have work for too.
    private static let turnsAtOnce = 256

    private let lock = Lock()
    @exclusivity(unchecked) private var phase = Phase.idle
    @exclusivity(unchecked) private var waiting = Queue<Turn>()
    /// What is asked after each turn, and cheaper to ask than the queue.
    @exclusivity(unchecked) private var isAnyWaiting = false
    /// nil: turns are taken on the thread of whoever comes first.
    @exclusivity(unchecked) private var scheduler: (any ImmediateSchedulerType)?
    /// Whether the caller is on the scheduler already, if that can be told.
    @exclusivity(unchecked) private var isThere: (@Sendable () -> Bool)?
    /// The thread that takes a turn.
    private let owner = Atomic<UInt>(0)

    init() {}

    /// Whether the caller is within a turn.
    public var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs `action` in a turn: at once when the caller is within one.
    public func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        if isCurrent { return action(state) }
        let disposable = SingleAssignmentDisposable()
        submit {
            if !disposable.isDisposed { disposable.setDisposable(action(state)) }
        }
        return disposable
    }

    /// Does `body` within the turn that the caller is in, or else in one of its own.
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

    /// Begins a turn on this thread unless one is under way or they are taken elsewhere. Call `leave` afterwards.
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

    /// The first turn of all, on this thread in any case; later ones are taken on `scheduler`.
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
        // What else is scheduled there does not count, as it would for the scheduler itself.
        case is MainScheduler: return { MainQueue.shared.isCurrent }
        case let serial as SerialDispatchQueueScheduler:
            serial.markQueue()
            return { serial.isCurrent }
        default: return nil
        }
    }

    /// Ends the turn, and takes those that wait.
    func leave() { takeTurns(isFirst: true) }

    /// With the lock held: whether turns may be taken on this thread.
    private var isHere: Bool { scheduler == nil || isThere?() == true }

    /// Takes a turn when it can be taken.
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
            // On a scheduler others get their turns in between; what comes after a turn on another thread goes there.
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

    /// Drops what waits and takes nothing more.
    func close() {
        lock.lock()
        phase = .closed
        isAnyWaiting = false
        // The scheduler too, which may hold this one for a turn that never comes.
        let dropped = (waiting.removeAll(), scheduler.take(), isThere.take())
        lock.unlock()
        withExtendedLifetime(dropped) {}
    }
}

extension CurrentThreadScheduler {
    /// What `body` schedules here runs before it returns, as a turn needs it, whatever else runs on this thread.
    static func withinTurn(_ body: () -> Void) {
        if isScheduleRequired { body() } else { apart(body) }
    }
}
