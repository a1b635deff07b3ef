internal import Dispatch

/// A queue of Dispatch.
final class DispatchWorkQueue: WorkQueue, @unchecked Sendable {
    // Unchecked: immutable.
    let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
        self.queue = queue
        super.init()
    }

    override func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    override func run(_ body: () -> Void) {
        dispatchPrecondition(condition: .notOnQueue(queue))
        queue.sync(execute: body)
    }

    /// The timer is a source, since Dispatch keeps a canceled work item until its time has come.
    override func timer(
        after delay: Duration, every period: Duration?, leeway: Duration, _ body: @escaping @Sendable () -> Void
    ) -> QueueTimer {
        // Dispatch sources are thread-safe, but not declared Sendable.
        nonisolated(unsafe) let source = DispatchSource.makeTimerSource(queue: queue)
        // The handler keeps the source until it is canceled.
        source.setEventHandler {
            if period == nil { source.cancel() }
            body()
        }
        source.schedule(
            deadline: .now() + delay.dispatchInterval, repeating: period?.dispatchInterval ?? .never,
            leeway: leeway.dispatchInterval)
        source.activate()
        return QueueTimer { source.cancel() }
    }
}
