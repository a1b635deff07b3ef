#if RX_PTHREAD_LOCK
    internal import Glibc

    /// A non-recursive lock. This pthread variant is for ThreadSanitizer, which does not support `Mutex`.
    ///
    /// Hold it for a few instructions only, never during a call of an observer, a user's closure, `dispose`, or
    /// `connect`.
    public struct Lock: ~Copyable, @unchecked Sendable {
        // Unchecked: a pthread mutex is shareable, and the pointer to it never changes.
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        /// Creates an unlocked lock.
        public init() {
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        /// Waits for the lock and acquires it.
        public func lock() { pthread_mutex_lock(mutex) }
        /// Releases the lock, which the calling thread must hold.
        public func unlock() { pthread_mutex_unlock(mutex) }
    }
#else
    public import Synchronization

    /// A non-recursive lock.
    ///
    /// Hold it for a few instructions only, never during a call of an observer, a user's closure, `dispose`, or
    /// `connect`. Compile with `-DRX_PTHREAD_LOCK` for ThreadSanitizer, which does not support `Mutex`.
    public struct Lock: ~Copyable, Sendable {
        @usableFromInline let mutex = Mutex<Void>(())

        /// Creates an unlocked lock.
        public init() {}

        /// Waits for the lock and acquires it.
        @inlinable public func lock() { mutex._unsafeLock() }
        /// Releases the lock, which the calling thread must hold.
        @inlinable public func unlock() { mutex._unsafeUnlock() }
    }
#endif

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
