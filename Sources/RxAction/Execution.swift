public import Rx

/// One run through the work of an action, with its results.
public final class Execution<Element: Sendable>: AnyExecution, @unchecked Sendable {
    // Unchecked: see `AnyExecution`.

    /// The results of this execution: its elements, then its end; a failure or a cancellation as `ActionError.underlyingError`.
    ///
    /// Started by `execute`, all of them, however late one subscribes; else those from now on.
    public var elements: Observable<Element> {
        gate.lock.withLock {
            // Only this class makes the results of an execution, and of this element type.
            if let results { return unsafeDowncast(results, to: Results<Element>.self) }
            if isEndTold, case .ended(let end) = phase { return Results.observable(of: end) }
            let made = Results<Element>(replays: false)
            results = made
            return made
        }
    }

    override func end(_ results: any AnyObject & Sendable, _ end: ExecutionEnd) {
        unsafeDowncast(results, to: Results<Element>.self).end(end)
    }
}
