internal import Synchronization

/// The core of an operator with several sources: processes their events in turns and stops the sources together.
///
/// Turns never overlap, yet no lock is held during callouts. A caller that finds the junction idle takes its turn at
/// once. One that finds it busy, on another thread or nested on this one, leaves its turn to the current one. Turns of
/// one source keep their order. Data used only in turns needs no lock.
@usableFromInline
class Junction: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: `lock` guards `parked` and `legs`, `isOver` is touched only in turns, the rest is atomic.
    private let gate = Gate()
    private let disposed = Atomic(false)
    private let lock = Lock()
    @exclusivity(unchecked) private var parked: [Turn] = []
    @exclusivity(unchecked) private var legs = DisposableList()
    @exclusivity(unchecked) private var isStopped = false

    /// Whether the end was sent down. Used only in turns.
    @exclusivity(unchecked) final var isOver = false

    @usableFromInline
    final var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    @usableFromInline
    final override func dispose() {
        disposed.store(true, ordering: .releasing)
        stopLegs()
    }

    // MARK: - Turns

    /// Begins a turn if none is under way and returns true; call `leave` afterwards. Otherwise, hand the turn over with
    /// `park`.
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

    /// Runs the parked turns, then leaves. Called by the one inside the gate.
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

    /// Adds a source, which is disposed with the others; at once if they already are.
    final func insert(_ leg: DisposeBase) {
        lock.lock()
        let isLate = isStopped
        if !isLate { legs.insert(leg) }
        lock.unlock()
        if isLate { leg.dispose() }
    }

    /// Removes a source and returns the number of remaining ones.
    @discardableResult
    final func remove(_ leg: DisposeBase) -> Int {
        lock.lock()
        let gone = legs.remove(leg)
        let left = legs.count
        lock.unlock()
        return withExtendedLifetime(gone) { left }
    }

    /// Disposes the sources in the order of their insertion.
    final func stopLegs() {
        lock.lock()
        isStopped = true
        var all = DisposableList()
        swap(&all, &legs)
        lock.unlock()
        all.forEach { $0.dispose() }
    }
}

/// A parked turn.
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
