internal import Glibc

/// A clock that a thread can wait by. Only for threads that may block.
protocol MonotonicClock: Sendable {
    /// The time since a fixed point.
    var now: Duration { get }
    /// Blocks the calling thread for at least this time, unless a signal interrupts it.
    func sleep(for time: Duration)
}

/// The clock of the event loop's timers. It stands still while the machine is suspended.
struct LinuxClock: MonotonicClock {
    var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    func sleep(for time: Duration) {
        let (seconds, attoseconds) = time.components
        var left = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&left, nil)
    }
}
