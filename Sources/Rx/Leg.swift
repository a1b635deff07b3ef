internal import Synchronization

/// One source of a junction. Its events are processed in turns.
class Leg<Element: RxSendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let junction: Junction
    private let completion = Atomic<Bool>(false)
    /// Whether it completed. For `closed()`, which may be called on another thread.
    final var hasCompleted: Bool { completion.load(ordering: .relaxed) }

    /// Adds itself to `junction`. Run a source into it afterwards.
    init(_ junction: Junction) {
        self.junction = junction
        super.init()
        junction.insert(self)
    }

    /// Creates a leg that another leg of `junction` disposes.
    init(among junction: Junction) {
        self.junction = junction
        super.init()
    }

    /// Handles an element in a turn. The two methods below handle the end, in a turn as well.
    func take(_ element: Element) {}
    func takeError(_ error: any Error) {}
    func takeCompletion() {}

    final override func next(_ element: Element) {
        guard isOpen else { return }
        guard junction.enter() else { return park(element) }
        take(element)
        junction.leave()
    }

    /// Separate, so that `next` creates no event.
    @inline(never)
    private func park(_ element: Element) { junction.park(LegTurn(self, .next(element))) }

    final override func failed(_ error: any Error) {
        guard junction.enter() else { return junction.park(LegTurn(self, .error(error))) }
        takeError(error)
        junction.leave()
    }

    final override func finished() {
        completion.store(true, ordering: .relaxed)
        guard junction.enter() else { return junction.park(LegTurn(self, .completed)) }
        takeCompletion()
        junction.leave()
    }
}

private final class LegTurn<Element: RxSendable>: Turn, @unchecked Sendable {
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

/// A leg that passes everything down and completes the hub when it is the last to complete: a source of `merge`.
final class MergeLeg<Element: RxSendable>: Leg<Element>, @unchecked Sendable {
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
