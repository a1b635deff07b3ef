internal import Glibc

/// The clock that stamps ids, records, and events. It may be set back.
public struct WallClock: Sendable {
    /// Nil for the system's clock, so that reading it costs no indirect call.
    package let source: (@Sendable () -> Int64)?

    /// A clock that shows what `milliseconds` returns: milliseconds since 1970-01-01T00:00:00Z.
    public init(_ milliseconds: @escaping @Sendable () -> Int64) { source = milliseconds }

    private init() { source = nil }

    /// The system's clock.
    public static let system = WallClock()

    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64 {
        if let source { return source() }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
