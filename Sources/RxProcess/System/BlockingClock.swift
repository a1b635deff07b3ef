internal import Glibc
internal import RxPlatform

/// A clock that a thread can wait by. Only for threads that may block.
protocol BlockingClock: Sendable {
    /// The time since a fixed point.
    var now: Duration { get }
    /// Blocks the calling thread for at least this time, unless a signal interrupts it.
    func sleep(for time: Duration)
}

/// The platform's monotonic clock, and the kernel's way to wait.
struct LinuxClock: BlockingClock {
    let clock: MonotonicClock

    var now: Duration { clock.now }

    func sleep(for time: Duration) {
        let (seconds, attoseconds) = time.components
        var left = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&left, nil)
    }
}
