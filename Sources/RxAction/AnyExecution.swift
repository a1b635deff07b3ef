internal import Rx

/// The type-erased part of one execution: its identity and its state.
public class AnyExecution: @unchecked Sendable {
    // Unchecked: the lock of `gate` guards all mutable state.

    /// The state of an execution. It is `executing` from its start to the end of its work, even after a cancellation;
    /// `completed`, `failed`, and `cancelled` are final.
    public enum State: Sendable, Equatable {
        /// The five states; an execution ends in one of the last three.
        case queued, executing, completed, failed, cancelled
    }

    enum Phase {
        /// Waits for its turn or for its first admission check.
        case queued
        case executing
        /// Canceled, but its work has not ended yet.
        case cancelling(reason: any Error)
        case ended(ExecutionEnd)

        /// The reason for the cancellation; nil if there was none.
        var cancellation: (any Error)? {
            switch self {
            case .cancelling(let reason), .ended(.cancelled(let reason)): reason
            case .queued, .executing, .ended(.completed), .ended(.failed): nil
            }
        }
    }

    /// Resources that only a live execution needs. Taken out under the lock and released outside it.
    struct Means {
        var work: (any ExecutionWork)?
        var handlers: [CancelHandler] = []
    }

    /// The identity of the execution.
    public final let id: ExecutionID
    final let gate: ActionGate

    // The lock of `gate` guards these and excludes overlapping accesses, so dynamic exclusivity checks are off.
    @exclusivity(unchecked) final var phase = Phase.queued
    @exclusivity(unchecked) final var means = Means()
    @exclusivity(unchecked) final var results: (any AnyObject & Sendable)?
    @exclusivity(unchecked) final var isEndDelivered = false
    /// Nil for an execution without a group.
    @exclusivity(unchecked) final var group: ExecutionGroup?
    /// The neighbors in the gate's list that contains this execution.
    @exclusivity(unchecked) final var next: AnyExecution?
    // Unsafe: a list retains its members, and removing one clears the references to it.
    @exclusivity(unchecked) final unowned(unsafe) var previous: AnyExecution?

    init(id: ExecutionID, gate: ActionGate, results: (any AnyObject & Sendable)?) {
        self.id = id
        self.gate = gate
        self.results = results
    }

    /// The current state of the execution.
    public final var state: State {
        gate.lock.withLock {
            switch phase {
            case .queued: .queued
            case .executing, .cancelling: .executing
            case .ended(.completed): .completed
            case .ended(.failed): .failed
            case .ended(.cancelled): .cancelled
            }
        }
    }

    /// Takes the means out of the execution. Called with the gate's lock held.
    final func takeMeans() -> Means {
        defer { means = Means() }
        return means
    }

    /// Ends `results`, whose element type is that of the execution.
    func end(_ results: any AnyObject & Sendable, _ end: ExecutionEnd) {}

    /// Whether the execution is in flight and not canceled. Called with the gate's lock held.
    final var isExecuting: Bool {
        switch phase {
        case .executing: true
        case .queued, .cancelling, .ended: false
        }
    }

    /// Cancels the execution unless it has ended. It ends as canceled at once or, if the work has registered an
    /// `onCancel` handler, when the work ends.
    ///
    /// - Parameter reason: becomes the error of the execution's results. The first reason is kept.
    public final func cancel(_ reason: any Error = ExecutionCancelled()) {
        gate.cancel(self, reason)
    }
}

/// A handler that is called instead of disposing the work. A class, so that it can be removed by identity.
final class CancelHandler: Sendable {
    let call: @Sendable (any Error) -> Void

    init(_ call: @escaping @Sendable (any Error) -> Void) {
        self.call = call
    }
}

/// The work of an execution as the gate sees it.
protocol ExecutionWork: AnyObject, Sendable {
    /// Creates the work and subscribes to it, unless the execution has ended meanwhile.
    func run()
    func dispose()
}
