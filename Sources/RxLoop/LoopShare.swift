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

    /// Serves the job that waits longest, and some closures.
    ///
    /// - Returns: the cost in units of `TurnBudget`.
    func serveNext() -> Int {
        var cost = 0
        if let job = first {
            first = job.next
            job.next = nil
            job.serve()
            cost += 1
        }
        let end = min(bodies.count, nextBody + Self.bodiesPerJob)
        while nextBody < end {
            let body = bodies[nextBody]
            nextBody += 1
            body()
            cost += 1
        }
        if nextBody == bodies.count, nextBody > 0 {
            bodies.removeAll(keepingCapacity: bodies.capacity <= Self.retainedBodies)
            nextBody = 0
        }
        return cost
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
