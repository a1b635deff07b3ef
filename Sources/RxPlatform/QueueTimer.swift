/// Work that a queue runs later.
public final class QueueTimer: Sendable {
    private let stop: @Sendable () -> Void

    /// - Parameter cancel: prevents the work; may be called more than once, from any thread.
    public init(cancel: @escaping @Sendable () -> Void) { stop = cancel }

    /// Runs the work no more. Work that is already running goes on.
    public func cancel() { stop() }
}
