internal import RxPlatform
internal import RxStore
internal import Rx
internal import RxJSON

/// Changes a reactor from one definition to the next, at a reload.
///
/// If the new definition makes other states, a new engine continues from the present state, or from what a replay of
/// the stored mutations makes, if so configured. It continues from the present one too if states are to be stored
/// that were not: no step comes between the state and its log while there is no engine. Dispatches are held from the
/// moment of the change, the old engine answers those that it has taken (`EngineDrains`), and the new engine gets the
/// others. If the new engine does not take the state, the old definition stays, with another engine of its own.
///
/// A reactor goes back in the same way, but at once: another engine of the same definition begins with the newest state
/// without the dispatches that could not be stored. What the old engine has in hand fails, and the new one gets the
/// rest. If a definition is changed at that moment, its engine begins with that state instead.
struct ReactorReplacement {
    private let reactor: HostedReactor
    private let lifecycle: Locked<ReactorLifecycle>
    private let queue: WorkQueue?

    /// - Parameters:
    ///   - reactor: the reactor to change.
    ///   - queue: where engines are stopped and started, which may take long; nil for the threads that call `change`
    ///     and that end the last dispatch.
    init(_ reactor: HostedReactor, on queue: WorkQueue? = nil) {
        self.reactor = reactor
        self.queue = queue
        lifecycle = reactor.lifecycle
    }

    /// Replaces the definition, after the changes that are pending. Its rights hold at once: if they are others, the
    /// event `changed` comes before any state of the new engine.
    ///
    /// - Parameter completion: called once, on any thread, with the fault if the new definition is refused: then the
    ///   old one stays.
    func change(to definition: ReactorDefinition, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        let (isFirst, access) = lifecycle.withLock { lifecycle in
            let access = lifecycle.definition.access
            return (lifecycle.change(to: definition, completion: completion), access)
        }
        if access != definition.access { reactor.log.changed(reactor, at: reactor.services.time) }
        if isFirst { makeChanges() }
    }

    /// Has the reactor go back to the newest state without the dispatches that could not be stored. Returns at once.
    func goBack() {
        // The thread that calls may be the one that writes, which must not wait for itself.
        apart {
            let (isFirst, draining) = lifecycle.withLock { ($0.goBack { _ in }, $0.drainingBacklog) }
            // Nothing that is in hand can succeed any more, unless a change of the definition has gone back meanwhile:
            // then it is another change that drains, and nothing is lost.
            if let draining, let loss = reactor.loss {
                draining.loss = loss
                draining.cutShort()
            }
            if isFirst { makeChanges() }
        }
    }

    private func apart(_ body: @escaping @Sendable () -> Void) {
        reactor.services.platform.queues.shared.async(body)
    }

    /// Makes the pending changes, one after the other. A loop, so that the stack does not grow with their number.
    private func makeChanges() {
        enum Progress {
            case underWay
            case over
            /// The loop has ended; the completion goes on with the next change.
            case left
        }
        while let change = lifecycle.withLock({ $0.nextChange() }) {
            let progress = Locked(Progress.underWay)
            make(change) { fault in
                lifecycle.withLock { $0.finish(change, fault) }
                change.completion(fault)
                let wasLeft = progress.withLock { progress in
                    defer { progress = .over }
                    return progress == .left
                }
                if wasLeft { makeChanges() }
            }
            let isOver = progress.withLock { progress in
                if progress == .underWay { progress = .left }
                return progress == .over
            }
            guard isOver else { return }
        }
    }

    private func make(
        _ change: ReactorLifecycle.Change, _ completion: @escaping @Sendable (ReactorFault?) -> Void
    ) {
        let canStore = reactor.services.stateStore != nil
        let loss = reactor.loss
        // A change of the definition may have done it.
        if change.goesBack, loss == nil { return completion(nil) }
        switch lifecycle.withLock({ $0.begin(change, canStore: canStore) }) {
        case .none where change.goesBack:
            reactor.finishGoingBack()
            completion(nil)
        case .none:
            if let persistence = change.to.persistence {
                reactor.keptLog?.persistence = persistence
            } else {
                reactor.keptLog = nil
            }
            completion(nil)
        case .start: run { completion(start(change)) }
        case .replace(let engine, let outlet, let backlog) where change.goesBack:
            backlog.loss = loss
            replace(engine, outlet, change, on: reactor.services.platform.queues.shared, completion)
        case .replace(let engine, let outlet, let backlog):
            reactor.services.drains.drain(backlog) {
                run {
                    lifecycle.withLock { $0.drained() }
                    replace(engine, outlet, change, on: queue, completion)
                }
            }
        }
    }

    private func run(_ body: @escaping @Sendable () -> Void) {
        if let queue { queue.async(body) } else { body() }
    }

    private func replace(
        _ engine: any ReactorEngine, _ outlet: Outlet, _ change: ReactorLifecycle.Change, on queue: WorkQueue?,
        _ completion: @escaping @Sendable (ReactorFault?) -> Void
    ) {
        let goOn = { @Sendable in
            outlet.close()
            guard lifecycle.withLock({ $0.isStopped }) else { return completion(start(change)) }
            reactor.finishStopping()
            completion(nil)
        }
        engine.stop { if let queue { queue.async(goOn) } else { goOn() } }
    }

    /// Starts an engine of the new definition; nothing runs at the moment.
    ///
    /// - Returns: why the change is not made.
    private func start(_ change: ReactorLifecycle.Change) -> ReactorFault? {
        guard reactor.begun != nil else {
            do throws(ReactorFault) {
                try ReactorStart(reactor, as: change.to).start()
                return nil
            } catch {
                reactor.fail(error)
                return error
            }
        }
        // All steps are written now, or are lost.
        reactor.keptLog?.flush()
        let (end, goesBack) = (reactor.end, reactor.loss != nil)
        if change.goesBack { return goBack(to: end, as: change.to) }
        do throws(ReactorFault) {
            try ReactorStart(reactor, as: change.to).goOn(from: end.state, revision: end.revision)
            return nil
        } catch {
            let fault = error
            refuse(change, fault)
            if let persistence = change.from.persistence { reactor.keptLog?.persistence = persistence }
            // It took this state before.
            if goesBack {
                _ = goBack(to: end, as: change.from)
                return fault
            }
            do throws(ReactorFault) {
                try reactor.start(from: end.state, revision: end.revision, as: change.from)
            } catch {
                reactor.fail(error)
            }
            return fault
        }
    }

    /// Starts another engine with the state to which the reactor goes back, at a later revision.
    private func goBack(
        to end: (state: JSONValue, revision: UInt64), as definition: ReactorDefinition
    ) -> ReactorFault? {
        do throws(ReactorFault) {
            try ReactorStart(reactor, as: definition).goBack(to: end.state, after: end.revision)
            return nil
        } catch {
            reactor.fail(error)
            return error
        }
    }

    /// Lets the definition before the change hold again, with its rights, before an engine of it gets dispatches.
    private func refuse(_ change: ReactorLifecycle.Change, _ fault: ReactorFault) {
        let unauthorized = lifecycle.withLock { $0.refuse(change) }
        if change.from.access != change.to.access { reactor.log.changed(reactor, at: reactor.services.time) }
        var fault = fault
        fault.message = "the definition that allowed the action was refused: \(fault.message)"
        reactor.fail(unauthorized, fault)
    }
}
