public import Rx

/// One run through the work of an action: its identity, its state, its results.
public final class Execution<Element: Sendable>: CancellableExecution, @unchecked Sendable {
    // Unchecked: what changes is guarded by the lock of `gate`.

    public enum State: Sendable, Equatable {
        case executing, completed, failed, cancelled
    }

    enum Phase {
        case executing
        /// Asked to stop; the work takes its time.
        case cancelling(reason: any Error)
        case ended(ExecutionEnd)
    }

    public let id: ExecutionID
    let gate: ActionGate<Element>

    // Guarded by the lock of `gate`; the methods that use them say so.
    var phase = Phase.executing
    var work: Work<Element>?
    var results: Results<Element>?
    var isEndTold = false
    private var handlers: [@Sendable (any Error) -> Void] = []

    init(id: ExecutionID, gate: ActionGate<Element>, results: Results<Element>?) {
        self.id = id
        self.gate = gate
        self.results = results
    }

    public var state: State {
        gate.lock.withLock {
            switch phase {
            case .executing, .cancelling: .executing
            case .ended(.completed): .completed
            case .ended(.failed): .failed
            case .ended(.cancelled): .cancelled
            }
        }
    }

    /// The results of this execution: its elements, then its end; a failure or a cancellation as `ActionError.underlyingError`.
    ///
    /// Started by `execute`, all of them, however late one subscribes; else those from now on.
    public var elements: Observable<Element> {
        gate.lock.withLock {
            if let results { return results.observable }
            if isEndTold, case .ended(let end) = phase { return Results.observable(of: end) }
            let made = Results<Element>.live(PublishSubject())
            results = made
            return made.observable
        }
    }

    /// Stops the work, unless the execution has ended. It ends as cancelled: at once, or, when the work has registered an
    /// `onCancel` handler, when the work ends.
    public func cancel(_ reason: any Error = ExecutionCancelled()) {
        gate.lock.lock()
        switch phase {
        case .cancelling, .ended:
            gate.lock.unlock()
        case .executing:
            if handlers.isEmpty {
                phase = .ended(.cancelled(reason: reason))
                let work = takeWork()
                gate.lock.unlock()
                work?.dispose()
                gate.conclude(self, .cancelled(reason: reason))
            } else {
                phase = .cancelling(reason: reason)
                let called = handlers
                handlers = []
                gate.lock.unlock()
                for handler in called { handler(reason) }
            }
        }
    }

    var isCancelled: Bool {
        gate.lock.withLock { cancellation != nil }
    }

    func onCancel(_ handler: @escaping @Sendable (any Error) -> Void) {
        let reason = gate.lock.withLock { () -> (any Error)? in
            if case .executing = phase { handlers.append(handler) }
            return cancellation
        }
        if let reason { handler(reason) }
    }

    /// With the lock held: lets go of what only a live execution needs. The caller releases it without the lock.
    func takeWork() -> Work<Element>? {
        defer { work = nil }
        return work
    }

    /// With the lock held, once ended.
    func takeHandlers() -> [@Sendable (any Error) -> Void] {
        defer { handlers = [] }
        return handlers
    }

    private var cancellation: (any Error)? {
        switch phase {
        case .cancelling(let reason), .ended(.cancelled(let reason)): reason
        case .executing, .ended(.completed), .ended(.failed): nil
        }
    }
}
