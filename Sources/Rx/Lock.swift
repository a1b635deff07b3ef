internal import Glibc
public import Synchronization

/// A non-recursive lock.
///
/// Hold it for a few instructions only, never during a call of an observer, a user's closure, `dispose`, or `connect`.
///
/// A thread that arrives while the lock is free may take it before one that has been woken. With locks that are handed
/// to the waiting threads in turn, such as `Synchronization.Mutex` on Linux, each of several threads that share a lock
/// waits for a change of threads by the kernel every time, which takes a hundred times as long as what they do.
public struct Lock: ~Copyable, Sendable {
    // The values of `state`.
    @usableFromInline static let free: UInt32 = 0
    @usableFromInline static let held: UInt32 = 1
    /// Held, and `release` may have to wake a thread.
    @usableFromInline static let awaited: UInt32 = 2

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
    /// Attempts before a thread sleeps: about as long as most locks are held.
    private static let attempts = 64

    @usableFromInline @inline(never)
    func wait() {
        for _ in 0..<Lock.attempts where state.load(ordering: .relaxed) == Lock.free {
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

    /// Sleeps until `condition` is true. It is checked at first and after each `wakeOne`, which cannot come in between.
    func sleep(until condition: () -> Bool) {
        pthread_mutex_lock(mutex)
        while !condition() { pthread_cond_wait(wakeUp, mutex) }
        pthread_mutex_unlock(mutex)
    }

    func wakeOne() {
        // Not before a thread that has checked its condition sleeps.
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
