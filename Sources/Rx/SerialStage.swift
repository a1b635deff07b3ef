internal import Synchronization

/// Makes the calls of several sources serial without ever holding a lock while calling: `merge` and its like, subjects.
///
/// Who finds it idle delivers; who finds it busy, on another thread or deeper in the same one, leaves the event to the
/// one who is delivering. Events of one caller keep their order.
final class SerialStage<Element: Sendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`; `pending` is guarded by `lock`, `isOver` belongs to the one who is delivering.
    let downstream: Stage<Element>
    private let gate = Atomic<UInt8>(Gate.idle)
    @exclusivity(unchecked) private var isOver = false
    private let lock = Lock()
    private var pending: [Event<Element>] = []

    init(_ downstream: Stage<Element>) {
        self.downstream = downstream
        super.init()
    }

    override func attach(_ upstream: DisposeBase) { downstream.attach(upstream) }

    override func next(_ element: Element) {
        guard enter(Gate.idle, Gate.busy) else { return park(.next(element)) }
        if !isOver { downstream.next(element) }
        leave()
    }

    override func error(_ error: any Error) {
        guard enter(Gate.idle, Gate.busy) else { return park(.error(error)) }
        deliver(.error(error))
        leave()
    }

    override func completed() {
        guard enter(Gate.idle, Gate.busy) else { return park(.completed) }
        deliver(.completed)
        leave()
    }

    private func enter(_ from: UInt8, _ to: UInt8) -> Bool {
        gate.compareExchange(expected: from, desired: to, ordering: .acquiringAndReleasing).exchanged
    }

    private func deliver(_ event: Event<Element>) {
        if isOver { return }
        isOver = event.isStopEvent
        downstream.on(event)
    }

    private func leave() {
        while !enter(Gate.busy, Gate.idle) {
            gate.store(Gate.busy, ordering: .releasing)
            let batch = lock.withLock { () -> [Event<Element>] in
                defer { pending = [] }
                return pending
            }
            for event in batch { deliver(event) }
        }
    }

    private func park(_ event: Event<Element>) {
        lock.withLock { pending.append(event) }
        while true {
            if enter(Gate.busy, Gate.busyWithPending) { return }
            if gate.load(ordering: .acquiring) == Gate.busyWithPending { return }
            // It became idle meanwhile: deliver what was left here, by the way of a deliverer who is told of it.
            if enter(Gate.idle, Gate.busyWithPending) { return leave() }
        }
    }
}

/// What the gate of a `SerialStage` says.
private enum Gate {
    static let idle: UInt8 = 0
    static let busy: UInt8 = 1
    static let busyWithPending: UInt8 = 2
}
