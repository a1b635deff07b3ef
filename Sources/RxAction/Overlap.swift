/// What an input does that arrives while work is in flight.
public enum Overlap: Sendable, Hashable {
    /// It is refused.
    case reject
    /// It waits its turn, one in flight at a time; when `limit` wait already, it is refused with `Refusal.queueFull`.
    case queue(limit: Int)
    /// It starts at once while fewer than `limit` are in flight, and is refused then.
    case concurrent(limit: Int)
    /// It takes the place of the one in flight, which is cancelled: it starts when the work of that one is gone. One that
    /// waits for that meanwhile is cancelled too.
    case latest
    /// It starts nothing: who asked joins the execution in flight, whatever its own input, and gets all of its results.
    /// One that is being cancelled is not joined; the first input after it waits for its end, the others join that one.
    case join

    func check() {
        switch self {
        case .queue(let limit): precondition(limit >= 0, "a queue's limit is 0 or more")
        case .concurrent(let limit): precondition(limit >= 1, "at least one execution may be in flight")
        case .reject, .latest, .join: break
        }
    }

    /// How many may be in flight at a time.
    var width: Int {
        switch self {
        case .reject, .queue, .latest, .join: 1
        case .concurrent(let limit): limit
        }
    }
}
