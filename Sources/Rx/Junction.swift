internal import Synchronization

/// The middle of an operator with several sources: it takes them in turns and stops them together.
///
/// A turn is a piece of work that no other turn overlaps, without a lock being held while it calls out: who finds the
/// junction idle takes a turn at once; who finds it busy, on another thread or deeper in the same one, leaves the turn
/// to the one who is at it. Turns of one source keep their order. What only turns touch needs no lock.
@usableFromInline
class Junction: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `parked` and `legs` are guarded by `lock`, `isOver` is touched in turns only, the rest is atomic.
    private let gate = Gate()
    private let disposed = Atomic(false)
    private let lock = Lock()
    @exclusivity(unchecked) private var parked: [Turn] = []
    @exclusivity(unchecked) private var legs = LegList()
    @exclusivity(unchecked) private var isStopped = false

    /// Whether the end was handed down. In turns only.
    @exclusivity(unchecked) final var isOver = false

    @usableFromInline
    final var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    @usableFromInline
    final override func dispose() {
        disposed.store(true, ordering: .releasing)
        stopLegs()
    }

    // MARK: - Turns

    /// Begins a turn, unless one is under way: then leave it to that one by `park`. After the turn, call `leave`.
    final func enter() -> Bool { gate.enter() }

    final func leave() {
        if !gate.leave() { takeParked() }
    }

    final func park(_ turn: Turn) {
        let mustTake = lock.withLock {
            parked.append(turn)
            return !gate.remindOrEnter()
        }
        if mustTake { takeParked() }
    }

    /// By the one in the gate: performs what was parked, then leaves.
    private func takeParked() {
        while true {
            let batch = lock.withLock { () -> [Turn] in
                if parked.isEmpty { gate.leaveUnreminded() }
                defer { parked = [] }
                return parked
            }
            if batch.isEmpty { return }
            for turn in batch { turn.perform() }
        }
    }

    // MARK: - Legs

    /// Keeps a source, to be disposed with the others; at once if they were.
    final func insert(_ leg: DisposeBase) {
        lock.lock()
        let isLate = isStopped
        if !isLate { legs.insert(leg) }
        lock.unlock()
        if isLate { leg.dispose() }
    }

    /// Forgets a source and tells how many are left.
    @discardableResult
    final func remove(_ leg: DisposeBase) -> Int {
        lock.lock()
        let gone = legs.remove(leg)
        let left = legs.count
        lock.unlock()
        return withExtendedLifetime(gone) { left }
    }

    /// In the order they came.
    final func stopLegs() {
        lock.lock()
        isStopped = true
        let all = legs
        legs = LegList()
        lock.unlock()
        all.forEach { $0.dispose() }
    }
}

/// A turn that waits.
class Turn: @unchecked Sendable {
    // Unchecked: immutable.
    func perform() {}
}

final class ClosureTurn: Turn, @unchecked Sendable {
    // Unchecked: immutable.
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    override func perform() { body() }
}
