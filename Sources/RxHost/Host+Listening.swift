public import RxRecords
internal import Rx
public import RxJSON

extension Host {
    /// All elements of the action of a name from now on, whoever executes it, and also when it is configured anew.
    ///
    /// - Parameter body: called on the work's thread, outside of any lock; it must not wait.
    /// - Returns: to be called when it shall hear nothing more.
    public func listen(
        toElementsOf action: String, _ body: @escaping @Sendable (RawJSON) -> Void
    ) -> @Sendable () -> Void {
        services.elementListeners.add(action, body)
    }

    /// The state of the reactor of a name, now, when it starts, and at each change.
    ///
    /// - Parameter body: called here or on the engine's thread, one call after the other, outside of any lock; it must not
    ///   wait.
    /// - Returns: to be called when it shall hear nothing more.
    public func listen(
        toStatesOf reactor: String, _ body: @escaping @Sendable (any ReactorState) -> Void
    ) -> @Sendable () -> Void {
        let first = FirstState(body)
        let cancel = services.stateListeners.add(reactor) { first.follow($0) }
        let known = registry.reactor(reactor)
        first.tell(known.flatMap { known in known.begun.map { PublishedState(known, $0.revision, $0.state) } })
        return cancel
    }
}

/// A state, and where it comes from.
struct PublishedState: Sendable {
    let state: any ReactorState
    let revision: UInt64
    let reactor: HostedReactor

    init(_ reactor: HostedReactor, _ revision: UInt64, _ state: any ReactorState) {
        self.state = state
        self.revision = revision
        self.reactor = reactor
    }

    func isAfter(_ other: PublishedState) -> Bool { reactor !== other.reactor || revision > other.revision }
}

/// Tells the state that there is before those that follow, wherever they come from.
private final class FirstState: Sendable {
    private enum Phase {
        /// And of those that were told meanwhile, the newest.
        case telling(PublishedState?)
        case told
    }

    private let body: @Sendable (any ReactorState) -> Void
    private let phase = Locked(Phase.telling(nil))

    init(_ body: @escaping @Sendable (any ReactorState) -> Void) { self.body = body }

    func tell(_ first: PublishedState?) {
        var next = first
        var last = first
        repeat {
            if let told = next {
                body(told.state)
                last = told
            }
            next = phase.withLock { phase in
                // It may have been on its way before the first was there.
                guard case .telling(let newest?) = phase, last.map(newest.isAfter) ?? true else {
                    phase = .told
                    return nil
                }
                phase = .telling(nil)
                return newest
            }
        } while next != nil
    }

    func follow(_ told: PublishedState) {
        let isTold = phase.withLock { phase in
            guard case .telling = phase else { return true }
            phase = .telling(told)
            return false
        }
        if isTold { body(told.state) }
    }
}
