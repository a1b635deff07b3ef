public import Rx

/// The clock by which a host starts executions that wait for a time: a daemon's one schedule of all that is due.
public protocol StartTimes: Sendable {
    /// Calls `body` once when the clock on the wall shows `time` or later, at once if it does already.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970.
    ///   - body: called on any thread but that of the event loop.
    /// - Returns: prevents the call when it is disposed.
    func schedule(at time: Int64, _ body: @escaping @Sendable () -> Void) -> any Disposable
}
