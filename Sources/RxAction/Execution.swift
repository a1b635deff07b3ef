public import Rx

/// One execution of an action, with its results.
public final class Execution<Element: RxSendable>: AnyExecution, @unchecked Sendable {
    // Unchecked: see `AnyExecution`.

    /// The results of this execution. Grammar: `next* (completed | error)?`. A failure or a cancellation is an
    /// `ActionError.underlyingError`.
    ///
    /// If `execute` started it, or `start` under `Overlap.join`, every subscriber gets all elements; otherwise only
    /// those after its subscription.
    public var elements: Observable<Element> {
        gate.lock.withLock {
            // Only this class creates the results of an execution, with this element type.
            if let results { return unsafeDowncast(results, to: Results<Element>.self) }
            if isEndDelivered, case .ended(let end) = phase { return Results.observable(of: end) }
            let made = Results<Element>(replays: false)
            results = made
            gate.audienceChanged()
            return made
        }
    }

    override func end(_ results: any AnyObject & Sendable, _ end: ExecutionEnd) {
        unsafeDowncast(results, to: Results<Element>.self).end(end)
    }
}
