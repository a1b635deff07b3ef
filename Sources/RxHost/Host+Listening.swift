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
        first.tell(registry.reactor(reactor)?.begun?.state)
        return cancel
    }
}

/// Tells the state that there is before those that follow, wherever they come from.
private final class FirstState: Sendable {
    private enum Phase {
        /// And of those that followed meanwhile, the newest.
        case telling((any ReactorState)?)
        case told
    }

    private let body: @Sendable (any ReactorState) -> Void
    private let phase = Locked(Phase.telling(nil))

    init(_ body: @escaping @Sendable (any ReactorState) -> Void) { self.body = body }

    func tell(_ first: (any ReactorState)?) {
        var next = first
        repeat {
            if let state = next { body(state) }
            next = phase.withLock { phase in
                guard case .telling(let newest?) = phase else {
                    phase = .told
                    return nil
                }
                phase = .telling(nil)
                return newest
            }
        } while next != nil
    }

    func follow(_ state: any ReactorState) {
        let isTold = phase.withLock { phase in
            guard case .telling = phase else { return true }
            phase = .telling(state)
            return false
        }
        if isTold { body(state) }
    }
}
