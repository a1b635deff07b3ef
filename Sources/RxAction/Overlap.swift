/// How an action treats an input that arrives while work is in flight.
public enum Overlap: Sendable, Hashable {
    /// Refuses the input.
    case reject
    /// Starts the input at once while fewer than `parallel` executions are in flight; queues it otherwise. Queued
    /// inputs start in order. If `limit` inputs already wait, refuses it with `Refusal.queueFull`.
    case queue(limit: Int, parallel: Int = 1)
    /// Starts the input at once while fewer than `limit` executions are in flight; refuses it otherwise.
    case concurrent(limit: Int)
    /// Cancels the execution in flight and starts the input when that execution's work has ended. Also cancels an input
    /// that is already waiting.
    case latest
    /// Starts nothing: the caller joins the execution in flight, whatever its input, and gets all of its results. A
    /// canceled execution is not joined; the first later input waits for its end, and further inputs join that one.
    case join

    /// The most groups of an action that have executions at a time: each has a queue of its own, and all of them
    /// together should need no more memory than one long queue.
    package static let mostGroups = 1_000

    /// The word for an overlap without its limit, as in a configuration.
    public enum Kind: String, Sendable, CaseIterable {
        case reject, queue, concurrent, latest, join
    }

    /// The overlap without its limit.
    public var kind: Kind {
        switch self {
        case .reject: .reject
        case .queue: .queue
        case .concurrent: .concurrent
        case .latest: .latest
        case .join: .join
        }
    }

    func check() {
        switch self {
        case .queue(let limit, let parallel):
            precondition(limit >= 0, "a queue's limit is 0 or more")
            precondition(parallel >= 1, "at least one execution may be in flight")
        case .concurrent(let limit): precondition(limit >= 1, "at least one execution may be in flight")
        case .reject, .latest, .join: break
        }
    }

    /// How many executions may be in flight at a time.
    public var width: Int {
        switch self {
        case .reject, .latest, .join: 1
        case .queue(_, let parallel): parallel
        case .concurrent(let limit): limit
        }
    }
}
