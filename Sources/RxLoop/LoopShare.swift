// Sendable: the lock of `PostedWork` guards `posted`; everything else belongs to the loop's thread.
/// One principal's share of a loop's time.
///
/// The loop serves the shares with work in turn: first one job of each, then the next one of each. A job is a source
/// that is ready, or a few posted closures. So a share with a thousand jobs delays a job of another share by one job,
/// not by a thousand.
public final class LoopShare: @unchecked Sendable {
    typealias Body = @Sendable () -> Void

    /// Posted closures that count as one job.
    static let bodiesPerJob = 32

    /// Closures that `PostedWork` has not collected yet.
    @exclusivity(unchecked) var posted: [Body] = []

    /// The share after this one in the loop's ring.
    @exclusivity(unchecked) var next: LoopShare?
    /// Whether the share is in the loop's ring.
    @exclusivity(unchecked) var isInRing = false

    @exclusivity(unchecked) private var first: LoopJob?
    /// Retained by the job before it, or by `first`; not used while `first` is nil.
    @exclusivity(unchecked) private unowned(unsafe) var last: LoopJob?
    @exclusivity(unchecked) private var bodies: [Body] = []
    @exclusivity(unchecked) private var nextBody = 0
    /// Whether the last turn ended after a job: then closures are served first, however long the jobs take.
    @exclusivity(unchecked) private var isTurnOfBodies = false

    /// Capacity kept for later closures; memory beyond it is freed after a burst.
    private static let retainedBodies = 1024

    /// A share without work.
    public init() {}

    /// Whether anything waits to be served.
    var hasWork: Bool { first != nil || nextBody < bodies.count }

    /// Adds a job that is not in the share.
    func append(_ job: LoopJob) {
        if first == nil { first = job } else { last?.next = job }
        last = job
    }

    /// Takes over the posted closures. With the lock of `PostedWork` held.
    func collectPosted() {
        if nextBody == bodies.count {
            bodies.removeAll(keepingCapacity: bodies.capacity <= Self.retainedBodies)
            nextBody = 0
            swap(&posted, &bodies)
        } else {
            bodies.append(contentsOf: posted)
            posted.removeAll(keepingCapacity: true)
        }
    }

    /// Serves the job that waits longest, and some closures, until the turn has to end.
    ///
    /// - Parameter isTurnOver: takes the cost of what was served, in units of `TurnBudget`. How long a closure takes is
    ///   not known, so each counts as long work.
    /// - Returns: whether the turn has to end.
    func serveNext(_ isTurnOver: (_ cost: Int) -> Bool) -> Bool {
        if let job = first, !isTurnOfBodies {
            first = job.next
            job.next = nil
            job.serve()
            if isTurnOver(1) {
                isTurnOfBodies = nextBody < bodies.count
                return true
            }
        }
        isTurnOfBodies = false
        var isOver = false
        let end = min(bodies.count, nextBody + Self.bodiesPerJob)
        while nextBody < end, !isOver {
            let body = bodies[nextBody]
            nextBody += 1
            body()
            isOver = isTurnOver(TurnBudget.unitsPerReading)
        }
        if nextBody == bodies.count, nextBody > 0 {
            bodies.removeAll(keepingCapacity: bodies.capacity <= Self.retainedBodies)
            nextBody = 0
        }
        return isOver
    }
}

/// The shares that have work, in the order in which they are served.
struct ShareRing {
    private var first: LoopShare?
    /// Retained by the share before it, or by `first`; not used while `first` is nil.
    private unowned(unsafe) var last: LoopShare?

    var isEmpty: Bool { first == nil }

    /// Adds a share at the end unless it is in the ring.
    mutating func insert(_ share: LoopShare) {
        guard !share.isInRing else { return }
        share.isInRing = true
        if first == nil { first = share } else { last?.next = share }
        last = share
    }

    mutating func popFirst() -> LoopShare? {
        guard let share = first else { return nil }
        first = share.next
        share.next = nil
        share.isInRing = false
        return share
    }
}
