import Dispatch
import Glibc
import Rx
import Testing

/// A lock such as applications have: recursive, and held while they call into the library.
final class ApplicationLock: @unchecked Sendable {
    // Unchecked: a pthread mutex is made to be shared.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func hold<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// What closures do that the library calls.
    func touch() { hold {} }
}

/// An observer that finds out whether it is called twice at a time, by two threads or from within itself, or after the
/// end.
final class GrammarChecker<Element: Sendable>: ObserverType {
    private struct Seen {
        var inside = 0
        var overlaps = 0
        var events = 0
        var ends = 0
        var afterEnd = 0
    }

    private let seen = Locked(Seen())

    func on(_ event: Event<Element>) {
        seen.withLock {
            $0.inside += 1
            $0.events += 1
            if $0.inside > 1 { $0.overlaps += 1 }
            if $0.ends > 0 { $0.afterEnd += 1 }
            if event.isStopEvent { $0.ends += 1 }
        }
        // Long enough for another thread to come.
        for _ in 0..<20 { seen.withLock { _ in } }
        seen.withLock { $0.inside -= 1 }
    }

    var events: Int { seen.withLock { $0.events } }
    var ends: Int { seen.withLock { $0.ends } }

    /// What went wrong, or nothing.
    var complaints: String {
        seen.withLock { seen in
            var found: [String] = []
            if seen.overlaps > 0 { found.append("\(seen.overlaps) events overlap another") }
            if seen.afterEnd > 0 { found.append("\(seen.afterEnd) events after the end") }
            return found.joined(separator: ", ")
        }
    }
}

/// Runs the bodies on threads of their own, at the same time, each `rounds` times with the number of the round. False
/// when they are not through after a minute: they are left where they hang then.
func race(rounds: Int, _ bodies: (@Sendable (Int) -> Void)...) async -> Bool {
    let ready = Locked(bodies.count)
    let done = Locked(0)
    for body in bodies {
        let thread = DispatchQueue(label: "race")
        thread.async {
            ready.withLock { $0 -= 1 }
            while ready.withLock({ $0 }) > 0 { sched_yield() }
            for round in 0..<rounds { body(round) }
            done.withLock { $0 += 1 }
        }
    }
    let count = bodies.count
    let deadline = ContinuousClock.now + .seconds(60)
    while done.withLock({ $0 }) < count {
        if ContinuousClock.now > deadline { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
