public import RxRecords
public import Rx
public import RxJSON

extension Host {
    /// Calls `body` with all elements of the action of a name from now on, whoever executes it. A reload does not end
    /// that.
    ///
    /// - Parameters:
    ///   - action: the name of an action.
    ///   - body: called on the work's thread, outside of any lock; it must not wait.
    /// - Returns: ends the calls when it is disposed.
    public func listen(
        toElementsOf action: String, _ body: @escaping @Sendable (RawJSON) -> Void
    ) -> any Disposable {
        services.elementListeners.add(action, body)
    }

    /// Calls `body` with the state of the reactor of a name: now, when it starts, and at each change.
    ///
    /// - Parameters:
    ///   - reactor: the name of a reactor.
    ///   - body: called before this returns or on the engine's thread, one call after the other, outside of any lock;
    ///     it must not wait.
    /// - Returns: ends the calls when it is disposed.
    public func listen(
        toStatesOf reactor: String, _ body: @escaping @Sendable (any ReactorState) -> Void
    ) -> any Disposable {
        listen(toRevisionsOf: reactor) { state, _ in body(state) }
    }

    /// Calls `body` with the state of the reactor of a name, and with what led to it: now, when it starts, and at each
    /// change.
    ///
    /// - Parameters:
    ///   - reactor: the name of a reactor.
    ///   - body: called as for `listen(toStatesOf:_:)`. The causes are nil for a state that was there before, and for
    ///     one that no dispatch led to.
    /// - Returns: ends the calls when it is disposed.
    public func listen(
        toRevisionsOf reactor: String, _ body: @escaping @Sendable (any ReactorState, Causes?) -> Void
    ) -> any Disposable {
        let listener = StateListener(body)
        let subscription = services.stateListeners.add(reactor) { listener.next($0) }
        let known = registry.reactor(reactor) ?? starting.withLock { $0[reactor] }
        listener.begin(known.flatMap { known in known.begun.map { PublishedState(known, $0.revision, $0.state) } })
        return subscription
    }
}

/// Passes on the present state before those that follow, whichever thread they come from.
private final class StateListener: Sendable {
    private enum Phase {
        /// The present state is being passed on; of those that came meanwhile, the newest is kept.
        case beginning(PublishedState?)
        case live
    }

    private let body: @Sendable (any ReactorState, Causes?) -> Void
    private let phase = Locked(Phase.beginning(nil))

    init(_ body: @escaping @Sendable (any ReactorState, Causes?) -> Void) { self.body = body }

    /// Passes on the present state, if there is one, and what came meanwhile.
    func begin(_ first: PublishedState?) {
        var next = first
        var last = first
        repeat {
            if let state = next {
                body(state.state, state.causes)
                last = state
            }
            next = phase.withLock { phase in
                // It may have been on its way before the first state was read.
                guard case .beginning(let newest?) = phase, last.map(newest.isAfter) ?? true else {
                    phase = .live
                    return nil
                }
                phase = .beginning(nil)
                return newest
            }
        } while next != nil
    }

    func next(_ state: PublishedState) {
        let isLive = phase.withLock { phase in
            guard case .beginning = phase else { return true }
            phase = .beginning(state)
            return false
        }
        if isLive { body(state.state, state.causes) }
    }
}
