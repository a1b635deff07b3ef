internal import Glibc
public import Synchronization

/// A non-recursive lock.
///
/// Hold it for a few instructions only, never during a call of an observer, a user's closure, `dispose`, or `connect`.
///
/// A thread that arrives while the lock is free may take it before one that has just been woken. A lock that is handed
/// to the waiting threads in turn, such as `Synchronization.Mutex` on Linux, stays idle until the kernel has woken the
/// next one: where several threads wait, each acquisition takes microseconds in place of nanoseconds.
public struct Lock: ~Copyable, Sendable {
    // The values of `state`. Other modules would read constants from memory, through a call.
    @inlinable static var free: UInt32 { 0 }
    @inlinable static var held: UInt32 { 1 }
    /// Held, and `unlock` has to wake a thread if one sleeps.
    @inlinable static var awaited: UInt32 { 2 }

    @usableFromInline let state = Atomic<UInt32>(Lock.free)
    /// Created when a thread has to wait for the first time: for most locks, never.
    private let waiters = Atomic<Unmanaged<LockWaiters>?>(nil)

    /// Creates an unlocked lock.
    public init() {}

    deinit { waiters.load(ordering: .acquiring)?.release() }

    /// Waits for the lock and acquires it.
    @inlinable
    public func lock() {
        let attempt = state.compareExchange(
            expected: Lock.free, desired: Lock.held, successOrdering: .acquiring, failureOrdering: .relaxed)
        if !attempt.exchanged { wait() }
    }

    /// Releases the lock, which the calling thread must hold.
    @inlinable
    public func unlock() {
        if state.exchange(Lock.free, ordering: .releasing) == Lock.awaited { wakeOne() }
    }
}

extension Lock {
    /// How often a thread looks at a lock that is held before it sleeps: most are released sooner.
    private static let looks = 64

    @usableFromInline @inline(never)
    func wait() {
        for _ in 0..<Lock.looks where state.load(ordering: .relaxed) == Lock.free {
            let attempt = state.compareExchange(
                expected: Lock.free, desired: Lock.held, successOrdering: .acquiring, failureOrdering: .relaxed)
            if attempt.exchanged { return }
        }
        // Others may wait, too, so that whoever acquires it here leaves it `awaited`.
        theWaiters.sleep { state.exchange(Lock.awaited, ordering: .acquiring) == Lock.free }
    }

    @usableFromInline @inline(never)
    func wakeOne() { theWaiters.wakeOne() }

    private var theWaiters: LockWaiters {
        if let waiters = waiters.load(ordering: .acquiring) { return waiters.takeUnretainedValue() }
        let made = Unmanaged.passRetained(LockWaiters())
        let attempt = waiters.compareExchange(expected: nil, desired: made, ordering: .acquiringAndReleasing)
        guard let others = attempt.original else { return made.takeUnretainedValue() }
        made.release()
        return others.takeUnretainedValue()
    }
}

/// The threads that sleep until a lock is released.
private final class LockWaiters: @unchecked Sendable {
    // Unchecked: these pointers never change, and what they point to is for several threads.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let wakeUp = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(wakeUp, nil)
    }

    deinit {
        pthread_cond_destroy(wakeUp)
        pthread_mutex_destroy(mutex)
        wakeUp.deallocate()
        mutex.deallocate()
    }

    /// Sleeps until `condition` is true, which is checked first and whenever the thread is woken.
    func sleep(until condition: () -> Bool) {
        pthread_mutex_lock(mutex)
        while !condition() { pthread_cond_wait(wakeUp, mutex) }
        pthread_mutex_unlock(mutex)
    }

    func wakeOne() {
        // A thread that has checked its condition sleeps before the mutex is free, and is not missed.
        pthread_mutex_lock(mutex)
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(wakeUp)
    }
}

extension Lock {
    /// Runs `body` with the lock held and returns its result.
    @inlinable
    public func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// A value that is accessible only with its lock held.
public final class Locked<State>: @unchecked Sendable {
    // Unchecked: `lock` guards every access to `state`.
    @usableFromInline let lock = Lock()
    @exclusivity(unchecked) @usableFromInline var state: State

    /// Creates a locked value.
    @inlinable
    public init(_ state: consuming sending State) {
        self.state = state
    }

    /// Runs `body` on the value with the lock held and returns its result.
    @inlinable
    public func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
