/// A source of a junction that stays subscribed after its end until the junction disposes it. Its events are processed
/// in turns, like those of a `Leg`, which releases its source at the end.
class Inlet<Element: Sendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let junction: Junction
    private let slot = DisposableSlot()
    /// Changed only by the source's serial calls.
    private var hasEnded = false

    /// Adds itself to `junction`. Run a source into it afterwards.
    init(_ junction: Junction) {
        self.junction = junction
        super.init()
        junction.insert(self)
    }

    /// Handles an element in a turn. The two methods below handle the end, in a turn as well.
    func take(_ element: Element) {}
    func takeError(_ error: any Error) {}
    func takeCompletion() {}

    final override func attach(_ upstream: DisposeBase) {
        precondition(slot.set(upstream), "an inlet has one upstream")
    }

    final override func next(_ element: Element) {
        if hasEnded || slot.isDisposed { return }
        guard junction.enter() else { return junction.park(ClosureTurn { self.take(element) }) }
        take(element)
        junction.leave()
    }

    final override func error(_ error: any Error) {
        if hasEnded || slot.isDisposed { return }
        hasEnded = true
        guard junction.enter() else { return junction.park(ClosureTurn { self.takeError(error) }) }
        takeError(error)
        junction.leave()
    }

    final override func completed() {
        if hasEnded || slot.isDisposed { return }
        hasEnded = true
        guard junction.enter() else { return junction.park(ClosureTurn { self.takeCompletion() }) }
        takeCompletion()
        junction.leave()
    }

    final override func dispose() { slot.dispose() }
}
