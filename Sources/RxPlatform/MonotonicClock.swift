internal import Glibc

/// The clock that measures waits. It never goes back.
public struct MonotonicClock: Sendable {
    private let source: @Sendable () -> Duration

    /// A clock that shows what `now` returns: the time since a moment of its choice.
    public init(_ now: @escaping @Sendable () -> Duration) { source = now }

    /// CLOCK_MONOTONIC, which service managers use too.
    public static let system = MonotonicClock {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// CLOCK_PROCESS_CPUTIME_ID: the processor time that the process has used.
    public static let processorTime = MonotonicClock {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The time since a moment that is the same for all readings.
    public var now: Duration { source() }
}
