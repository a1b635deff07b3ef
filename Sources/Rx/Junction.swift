internal import Synchronization

/// The middle of an operator with several sources: it takes them in turns and stops them together.
///
/// A turn is a piece of work that no other turn overlaps, without a lock being held while it calls out: who finds the
/// junction idle takes a turn at once; who finds it busy, on another thread or deeper in the same one, leaves the turn
/// to the one who is at it. Turns of one source keep their order. What only turns touch needs no lock.
class Junction: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `parked` and `legs` are guarded by `lock`, `isOver` is touched in turns only, the rest is atomic.
    private let gate = Gate()
    private let disposed = Atomic(false)
    private let lock = Lock()
    private var parked: [Turn] = []
    private var legs: [ObjectIdentifier: (number: UInt64, leg: DisposeBase)] = [:]
    /// How many legs there were; legs are stopped in the order they came.
    private var inserted: UInt64 = 0
    private var isStopped = false

    /// Whether the end was handed down. In turns only.
    @exclusivity(unchecked) final var isOver = false

    final var isDisposed: Bool { disposed.load(ordering: .acquiring) }

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
        let isLate = lock.withLock {
            if isStopped { return true }
            inserted += 1
            legs[ObjectIdentifier(leg)] = (inserted, leg)
            return false
        }
        if isLate { leg.dispose() }
    }

    /// Forgets a source and tells how many are left.
    @discardableResult
    final func remove(_ leg: DisposeBase) -> Int {
        let (gone, left) = lock.withLock { (legs.removeValue(forKey: ObjectIdentifier(leg)), legs.count) }
        return withExtendedLifetime(gone) { left }
    }

    /// Forgets a source that is known by name only, and gives it up.
    final func removeLeg(_ name: ObjectIdentifier) -> DisposeBase? {
        lock.withLock { legs.removeValue(forKey: name)?.leg }
    }

    final func stopLegs() {
        let all = lock.withLock { () -> [ObjectIdentifier: (number: UInt64, leg: DisposeBase)] in
            isStopped = true
            defer { legs = [:] }
            return legs
        }
        for (_, leg) in all.values.sorted(by: { $0.number < $1.number }) { leg.dispose() }
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
