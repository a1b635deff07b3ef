#if RX_PTHREAD_LOCK
    internal import Glibc

    /// The one lock of the project. This form is for ThreadSanitizer, which does not see through `Mutex`.
    ///
    /// Held for a few instructions only: never across a call of an observer, a closure of the user, `dispose` or `connect`.
    /// Not recursive.
    public struct Lock: ~Copyable, @unchecked Sendable {
        // Unchecked: a pthread mutex is made to be shared; the pointer itself never changes.
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        public init() {
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        public func lock() { pthread_mutex_lock(mutex) }
        public func unlock() { pthread_mutex_unlock(mutex) }
    }
#else
    public import Synchronization

    /// The one lock of the project.
    ///
    /// Held for a few instructions only: never across a call of an observer, a closure of the user, `dispose` or `connect`.
    /// Not recursive. Compile with `-DRX_PTHREAD_LOCK` for ThreadSanitizer, which does not see through `Mutex`.
    public struct Lock: ~Copyable, Sendable {
        @usableFromInline let mutex = Mutex<Void>(())

        public init() {}

        @inlinable public func lock() { mutex._unsafeLock() }
        @inlinable public func unlock() { mutex._unsafeUnlock() }
    }
#endif

extension Lock {
    /// Runs `body` with the lock held and returns what it returns.
    @inlinable
    public func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// A value that is reached only with its lock held.
public final class Locked<State>: @unchecked Sendable {
    // Unchecked: every access to `state` goes through `lock`.
    @usableFromInline let lock = Lock()
    @exclusivity(unchecked) @usableFromInline var state: State

    @inlinable
    public init(_ state: consuming sending State) {
        self.state = state
    }

    /// Runs `body` on the value with the lock held and returns what it returns.
    @inlinable
    public func withLock<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
