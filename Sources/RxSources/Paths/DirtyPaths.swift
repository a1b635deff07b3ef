internal import Rx
internal import RxTime

/// The names that must be looked at, because an event or a scan has given a hint of them. Bounded by the index, in
/// which each of them has an entry.
///
/// Names to which something was moved come first, so that an entry is found where it went before it is missed where it
/// was.
final class DirtyPaths {
    typealias ID = PathEntry.ID
    /// A name and the time of its first hint. With the time first, an optional one takes 16 bytes instead of 24.
    private typealias Dirty = (time: Instant, id: ID)

    /// How long a name that is not as its hints imply waits for the event that explains it. The kernel queues an event
    /// together with the change; this covers a reader that is interrupted in between.
    static let patience = Duration.milliseconds(50)

    private let tree: PathTree
    private let kernel: any FileKernel
    private var arrivals = Queue<Dirty>()
    private var others = Queue<Dirty>()
    private var waits: [ID: Duration] = [:]
    private var waitOrder: [(id: ID, deadline: Duration)] = []

    init(tree: PathTree, kernel: any FileKernel) {
        self.tree = tree
        self.kernel = kernel
    }

    /// How many there are to be looked at, more or less.
    var count: Int { arrivals.count + others.count }
    /// When the next wait ends.
    var deadline: Duration? { waitOrder.first?.deadline }

    /// A name must be looked at.
    func mark(_ id: ID, _ hints: PathEntry.Hints) {
        tree[id].hints.formUnion(hints)
        waits[id] = nil
        let isQueued = tree[id].flags.contains(.queued)
        tree[id].flags.insert(.queued)
        if hints.contains(.arrived) {
            arrivals.append((kernel.time, id))
        } else if !isQueued {
            others.append((kernel.time, id))
        }
    }

    /// A name is looked at when the next hint comes, or with the hint `expired`.
    func wait(_ id: ID) {
        let deadline = kernel.uptime + Self.patience
        waits[id] = deadline
        waitOrder.append((id, deadline))
    }

    /// The next name, with the time of its first hint.
    func next() -> (id: ID, time: Instant)? {
        while let next = arrivals.removeFirst() ?? others.removeFirst() {
            // Looked at already, or gone.
            guard tree.isUsed(next.id), tree[next.id].flags.contains(.queued) else { continue }
            tree[next.id].flags.remove(.queued)
            return (next.id, next.time)
        }
        return nil
    }

    /// Ends the waits that are due.
    func expire() {
        let now = kernel.uptime
        let due = waitOrder.prefix { $0.deadline <= now }
        waitOrder.removeFirst(due.count)
        for wait in due where waits[wait.id] == wait.deadline { mark(wait.id, .expired) }
    }

    /// Ends all waits early: paths have changed.
    func wake() {
        guard !waits.isEmpty else { return }
        let woken = waitOrder.filter { waits[$0.id] == $0.deadline }
        (waits, waitOrder) = ([:], [])
        for wait in woken { mark(wait.id, tree[wait.id].hints.intersection(.arrived)) }
    }

    /// Forgets an entry that is released.
    func forget(_ id: ID) { waits[id] = nil }

    func removeAll() {
        (arrivals, others) = (Queue(), Queue())
        (waits, waitOrder) = ([:], [])
    }
}
