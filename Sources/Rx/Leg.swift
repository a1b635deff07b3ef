/// One source of a junction, whose events are taken in turns.
class Leg<Element: Sendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let junction: Junction
    /// Whether it ended well. For `closed()`.
    final private(set) var hasCompleted = false

    /// Inserts itself into `junction`; run a source into it afterwards.
    init(_ junction: Junction) {
        self.junction = junction
        super.init()
        junction.insert(self)
    }

    /// For a leg that is disposed by another one of `junction`.
    init(among junction: Junction) {
        self.junction = junction
        super.init()
    }

    /// In a turn, as are the two below.
    func take(_ element: Element) {}
    func takeError(_ error: any Error) {}
    func takeCompletion() {}

    final override func next(_ element: Element) {
        guard isOpen else { return }
        guard junction.enter() else { return park(element) }
        take(element)
        junction.leave()
    }

    /// Apart, so that `next` builds no event.
    @inline(never)
    private func park(_ element: Element) { junction.park(LegTurn(self, .next(element))) }

    final override func failed(_ error: any Error) {
        guard junction.enter() else { return junction.park(LegTurn(self, .error(error))) }
        takeError(error)
        junction.leave()
    }

    final override func finished() {
        hasCompleted = true
        guard junction.enter() else { return junction.park(LegTurn(self, .completed)) }
        takeCompletion()
        junction.leave()
    }
}

private final class LegTurn<Element: Sendable>: Turn, @unchecked Sendable {
    // Unchecked: immutable.
    private let leg: Leg<Element>
    private let event: Event<Element>

    init(_ leg: Leg<Element>, _ event: Event<Element>) {
        self.leg = leg
        self.event = event
    }

    override func perform() {
        switch event {
        case .next(let element): leg.take(element)
        case .error(let error): leg.takeError(error)
        case .completed: leg.takeCompletion()
        }
    }
}

/// A leg that hands everything down and ends the hub when it is the last to complete: the sources of `merge`.
final class MergeLeg<Element: Sendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: Hub<Element>

    init(hub: Hub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) { hub.emit(element) }
    override func takeError(_ error: any Error) { hub.fail(error) }
    override func takeCompletion() { if hub.remove(self) == 0 { hub.finish() } }
}
