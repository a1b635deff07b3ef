internal import Rx

/// One run through the work of an action, whatever its elements: its identity and its state.
public class AnyExecution: @unchecked Sendable {
    // Unchecked: what changes is guarded by the lock of `gate`.

    public enum State: Sendable, Equatable {
        case queued, executing, completed, failed, cancelled
    }

    enum Phase {
        /// Waits its turn, or for the first look at it.
        case queued
        case executing
        /// Asked to stop; the work takes its time.
        case cancelling(reason: any Error)
        case ended(ExecutionEnd)

        /// Why it was cancelled, if it was.
        var cancellation: (any Error)? {
            switch self {
            case .cancelling(let reason), .ended(.cancelled(let reason)): reason
            case .queued, .executing, .ended(.completed), .ended(.failed): nil
            }
        }
    }

    /// What only a live execution needs. Taken out under the lock, released without it.
    struct Means {
        var work: (any ExecutionWork)?
        var handlers: [CancelHandler] = []
    }

    public final let id: ExecutionID
    final let gate: ActionGate

    // Guarded by the lock of `gate`, which also keeps accesses from overlapping: hence no dynamic checks of that.
    @exclusivity(unchecked) final var phase = Phase.queued
    @exclusivity(unchecked) final var means = Means()
    @exclusivity(unchecked) final var results: (any AnyObject & Sendable)?
    @exclusivity(unchecked) final var isEndTold = false
    /// The neighbours in the list of the gate that it is in.
    @exclusivity(unchecked) final var next: AnyExecution?
    // Unsafe: a list holds its members, and takes out one with what names it.
    @exclusivity(unchecked) final unowned(unsafe) var previous: AnyExecution?

    init(id: ExecutionID, gate: ActionGate, results: (any AnyObject & Sendable)?) {
        self.id = id
        self.gate = gate
        self.results = results
    }

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

    /// Ends its results, which are of its element type.
    func end(_ results: any AnyObject & Sendable, _ end: ExecutionEnd) {}

    /// With the lock of the gate held: in flight, and not asked to stop.
    final var isExecuting: Bool {
        switch phase {
        case .executing: true
        case .queued, .cancelling, .ended: false
        }
    }

    /// Stops the work, unless the execution has ended. It ends as cancelled: at once, or, when the work has registered an
    /// `onCancel` handler, when the work ends.
    public final func cancel(_ reason: any Error = ExecutionCancelled()) {
        gate.cancel(self, reason)
    }
}

/// What is called instead of disposing the work; a class, so that it can be taken back.
final class CancelHandler: Sendable {
    let call: @Sendable (any Error) -> Void

    init(_ call: @escaping @Sendable (any Error) -> Void) {
        self.call = call
    }
}

/// The work of an execution as the gate sees it.
protocol ExecutionWork: AnyObject, Sendable {
    /// Makes the work and subscribes it, unless the execution has ended meanwhile.
    func run()
    func dispose()
}
