/// Runs work on threads of its choice. `Queues` makes queues; a subclass decides where and when their work runs.
// Unchecked because it can be subclassed: it has no state, and subclasses must be thread-safe.
open class WorkQueue: @unchecked Sendable {
    /// For subclasses.
    public init() {}

    /// Runs `body` soon; a serial queue runs it after all work that was added before.
    open func async(_ body: @escaping @Sendable () -> Void) { preconditionFailure("abstract") }

    /// Runs `body` like `async` and returns when it has ended. Not to be called from work of the same serial queue.
    open func run(_ body: () -> Void) { preconditionFailure("abstract") }

    /// Runs `body` after `delay`, and with a `period` again and again, until the result is canceled.
    ///
    /// - Parameters:
    ///   - delay: the time until the first run.
    ///   - period: the time between further runs, longer than zero; nil for none.
    ///   - leeway: how much later than requested it may run, to save wake-ups.
    ///   - body: the work.
    @discardableResult
    open func timer(
        after delay: Duration, every period: Duration?, leeway: Duration, _ body: @escaping @Sendable () -> Void
    ) -> QueueTimer {
        preconditionFailure("abstract")
    }

    /// Runs `body` once after `delay`, or soon after.
    @discardableResult
    public final func async(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> QueueTimer {
        timer(after: delay, every: nil, leeway: .zero, body)
    }

    /// Runs `body` like `run` and returns its result.
    public final func sync<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var result: Swift.Result<Result, Failure>?
        run {
            do throws(Failure) {
                result = .success(try body())
            } catch {
                result = .failure(error)
            }
        }
        // `run` has called its argument once.
        return try result!.get()
    }
}
