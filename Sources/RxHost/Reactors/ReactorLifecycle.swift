internal import RxStore

/// The life of a reactor as a state machine: its definition, its engine, and the changes of its definition that are
/// pending. It decides and calls nothing; its owner acts on what it returns, with no lock held.
struct ReactorLifecycle {
    private enum Phase {
        /// There is no engine, or it is being stopped or started: dispatches are held.
        case waiting(HeldDispatches)
        /// The validation is that of the definition whose engine it is.
        case running(any ReactorEngine, Outlet, EngineBacklog, DispatchValidation)
        /// The log lacks steps, and a snapshot is to bridge that before the engine gets another dispatch.
        case bridging(any ReactorEngine, Outlet, EngineBacklog, DispatchValidation, Bridge)
        /// The engine answers what it has taken, and is replaced then: dispatches are held.
        case draining(EngineBacklog, HeldDispatches)
        /// The engine could not be started; another definition may do better.
        case failed(ReactorFault)
        /// `whenChanged` is called once the engine that is being replaced, or its successor, has stopped too.
        case stopped(whenChanged: (@Sendable () -> Void)?)
    }

    /// One attempt to bridge the log.
    private struct Bridge {
        let number: Int
        /// Dispatches that came before the attempt, and fail with it; those after them get another one.
        let count: Int
        var held: HeldDispatches
    }

    /// A change of the definition, with the one that holds if it fails.
    struct Change {
        var from: ReactorDefinition
        var to: ReactorDefinition
        /// Whether the definition stays, and another engine of it begins with an earlier state.
        var goesBack = false
        let completion: @Sendable (ReactorFault?) -> Void
    }

    private(set) var definition: ReactorDefinition
    /// The number of the newest definition. One that is refused has had its number too.
    private var newest: UInt64 = 0
    /// Where the steps are stored, if they are.
    var log: ReactorLog?
    private var phase = Phase.waiting(HeldDispatches())
    /// Pending changes, the first of which is under way if `isChanging`.
    private var changes: [Change] = []
    private var isChanging = false
    /// Whether an engine is being stopped or started for a change.
    private var isReplacing = false
    /// The number of attempts to bridge the log.
    private var bridges = 0

    init(_ definition: ReactorDefinition) {
        self.definition = definition
    }

    /// Why there is no engine, if none could be started.
    var failure: ReactorFault? {
        if case .failed(let fault) = phase { fault } else { nil }
    }

    var isStopped: Bool {
        if case .stopped = phase { true } else { false }
    }

    /// The backlog of the engine that runs; nil if none does.
    var backlog: EngineBacklog? {
        switch phase {
        case .running(_, _, let backlog, _), .bridging(_, _, let backlog, _, _): backlog
        case .waiting, .draining, .failed, .stopped: nil
        }
    }

    /// The backlog of an engine that is about to be replaced; nil if there is none.
    var drainingBacklog: EngineBacklog? {
        if case .draining(let backlog, _) = phase { backlog } else { nil }
    }

    /// The engine that runs; nil if none does.
    var engine: (any ReactorEngine)? {
        switch phase {
        case .running(let engine, _, _, _), .bridging(let engine, _, _, _, _): engine
        case .waiting, .draining, .failed, .stopped: nil
        }
    }

    /// The programs are written in other lines from now on.
    mutating func move(to lines: [String: SourceLine]) { definition.lines = lines }

    // MARK: Dispatching

    enum DispatchStep {
        /// It has entered the backlog.
        case send(any ReactorEngine, EngineBacklog)
        /// The engine is not of the definition that has validated it: validate it, and try again.
        case validate(DispatchValidation)
        case held
        /// It is held; attempt to bridge the log.
        case bridge(Int)
        case refuse(DispatchRefusal)
    }

    /// - Parameters:
    ///   - dispatch: the dispatch, validated.
    ///   - number: the number of the definition that has validated it.
    mutating func dispatch(_ dispatch: ReactorDispatch, validatedBy number: UInt64) -> DispatchStep {
        switch phase {
        case .running(let engine, let outlet, let backlog, let validation):
            guard validation.number == number else { return .validate(validation) }
            if log?.hasLoss == true {
                var held = HeldDispatches()
                held.append(dispatch)
                return .bridge(bridge(engine, outlet, backlog, validation, held))
            }
            backlog.enter()
            return .send(engine, backlog)
        case .waiting, .draining, .bridging:
            hold { $0.append(dispatch) }
            return .held
        case .failed(let fault): return .refuse(.failed(fault))
        case .stopped: return .refuse(.stopping)
        }
    }

    enum ReturnStep {
        case held
        /// There is another engine already: validate it, and dispatch it again.
        case validate(DispatchValidation)
        /// No other engine gets it.
        case none
    }

    /// Takes back a dispatch that an engine leaves untouched because it has been stopped.
    mutating func giveBack(_ dispatch: ReactorDispatch, from engine: any ReactorEngine) -> ReturnStep {
        switch phase {
        case .waiting, .draining:
            hold { $0.giveBack(dispatch) }
            return .held
        // Never again to the same engine, which would give it back again.
        case .running(let other, _, _, let validation), .bridging(let other, _, _, let validation, _):
            return other === engine ? .none : .validate(validation)
        case .failed, .stopped: return .none
        }
    }

    private mutating func hold(_ change: (inout HeldDispatches) -> Void) {
        // Not two references to the arrays while they grow.
        switch phase {
        case .waiting(var held):
            phase = .waiting(HeldDispatches())
            change(&held)
            phase = .waiting(held)
        case .draining(let backlog, var held):
            phase = .draining(backlog, HeldDispatches())
            change(&held)
            phase = .draining(backlog, held)
        case .bridging(let engine, let outlet, let backlog, let validation, var bridge):
            phase = .waiting(HeldDispatches())
            change(&bridge.held)
            phase = .bridging(engine, outlet, backlog, validation, bridge)
        case .running, .failed, .stopped: break
        }
    }

    // MARK: Bridging the log

    /// - Returns: the number of the attempt.
    private mutating func bridge(
        _ engine: any ReactorEngine, _ outlet: Outlet, _ backlog: EngineBacklog, _ validation: DispatchValidation,
        _ held: HeldDispatches
    ) -> Int {
        bridges += 1
        phase = .bridging(
            engine, outlet, backlog, validation, Bridge(number: bridges, count: held.count, held: held))
        return bridges
    }

    enum BridgeStep {
        /// These have entered the backlog. Send them to the engine, and ask again.
        case send([ReactorDispatch], any ReactorEngine, EngineBacklog, DispatchValidation)
        /// These fail. With a number: attempt to bridge the log once more, for those that came later.
        case refuse([ReactorDispatch], again: Int?)
        case over
    }

    /// An attempt to bridge the log has ended.
    mutating func bridged(_ number: Int, hasFailed: Bool) -> BridgeStep {
        guard case .bridging(let engine, let outlet, let backlog, let validation, var bridge) = phase,
            bridge.number == number
        else { return .over }
        phase = .waiting(HeldDispatches())
        let taken = bridge.held.takeFirst(hasFailed ? bridge.count : bridge.held.count)
        if hasFailed, !bridge.held.isEmpty {
            return .refuse(taken, again: self.bridge(engine, outlet, backlog, validation, bridge.held))
        }
        if hasFailed || taken.isEmpty {
            phase = .running(engine, outlet, backlog, validation)
            return hasFailed ? .refuse(taken, again: nil) : .over
        }
        phase = .bridging(engine, outlet, backlog, validation, bridge)
        for _ in taken { backlog.enter() }
        return .send(taken, engine, backlog, validation)
    }

    // MARK: Starting and stopping

    enum RunStep {
        /// Send these to the engine and ask again.
        case send([ReactorDispatch])
        case running
        /// The engine runs; attempt to bridge the log before it gets what is held.
        case bridge(Int)
        /// The reactor was stopped meanwhile: stop the engine.
        case stop
    }

    /// The next step with an engine of `definition` that has started.
    mutating func run(
        _ engine: any ReactorEngine, _ outlet: Outlet, _ backlog: EngineBacklog, as definition: ReactorDefinition
    ) -> RunStep {
        switch phase {
        case .waiting(let held) where !held.isEmpty:
            if log?.hasLoss == true {
                return .bridge(bridge(engine, outlet, backlog, definition.validation, held))
            }
            phase = .waiting(HeldDispatches())
            return .send(held.all)
        case .waiting, .draining, .running, .bridging, .failed:
            phase = .running(engine, outlet, backlog, definition.validation)
            return .running
        case .stopped: return .stop
        }
    }

    /// No engine could be started.
    ///
    /// - Returns: the dispatches that fail for it; nil if the reactor was stopped meanwhile.
    mutating func fail(_ fault: ReactorFault) -> [ReactorDispatch]? {
        guard case .waiting(let held) = phase else { return nil }
        phase = .failed(fault)
        return held.all
    }

    enum StopStep {
        case stop(any ReactorEngine, [ReactorDispatch])
        /// An engine is being replaced; `completion` is called when that is over. The wait for its last dispatches, if
        /// there is one, is to be cut short.
        case later([ReactorDispatch], EngineBacklog?)
        case none([ReactorDispatch])
    }

    /// - Parameter completion: kept for `finishStopping` if the step is `later`.
    mutating func stop(completion: @escaping @Sendable () -> Void) -> StopStep {
        switch phase {
        case .running(let engine, _, _, _):
            phase = .stopped(whenChanged: nil)
            return .stop(engine, [])
        case .bridging(let engine, _, _, _, let bridge):
            phase = .stopped(whenChanged: nil)
            return .stop(engine, bridge.held.all)
        case .draining(let backlog, let held):
            phase = .stopped(whenChanged: completion)
            return .later(held.all, backlog)
        case .waiting(let held):
            phase = .stopped(whenChanged: isReplacing ? completion : nil)
            return isReplacing ? .later(held.all, nil) : .none(held.all)
        case .failed:
            phase = .stopped(whenChanged: nil)
            return .none([])
        case .stopped: return .none([])
        }
    }

    /// The completion of `stop` that waited for a replacement, if there is one. It is returned once.
    mutating func finishStopping() -> (@Sendable () -> Void)? {
        guard case .stopped(let completion) = phase else { return nil }
        phase = .stopped(whenChanged: nil)
        return completion
    }

    // MARK: Changing the definition

    /// - Returns: whether the caller has to make the changes, from `nextChange` on; otherwise another call does.
    mutating func change(
        to definition: ReactorDefinition, completion: @escaping @Sendable (ReactorFault?) -> Void
    ) -> Bool {
        newest += 1
        var definition = definition
        definition.number = newest
        changes.append(Change(from: changes.last?.to ?? self.definition, to: definition, completion: completion))
        self.definition = definition
        defer { isChanging = true }
        return !isChanging
    }

    /// Replaces the engine by another one of the same definition, which begins with an earlier state.
    ///
    /// - Returns: as for `change`.
    mutating func goBack(completion: @escaping @Sendable (ReactorFault?) -> Void) -> Bool {
        let stays = changes.last?.to ?? definition
        changes.append(Change(from: stays, to: stays, goesBack: true, completion: completion))
        defer { isChanging = true }
        return !isChanging
    }

    /// The change to be made now; nil if there is none, and the next `change` has to be made by its caller.
    mutating func nextChange() -> Change? {
        isChanging = !changes.isEmpty
        return changes.first
    }

    enum ChangeStep {
        /// Once its backlog is drained; at once if the change goes back.
        case replace(any ReactorEngine, Outlet, EngineBacklog)
        case start
        /// The engine stays.
        case none
    }

    /// - Parameter canStore: whether there is a store for states.
    mutating func begin(_ change: Change, canStore: Bool) -> ChangeStep {
        if change.goesBack { return goBack() }
        let step: ChangeStep
        let startsToStore = change.to.persistence != nil && log == nil && canStore
        switch phase {
        case .running(let engine, let outlet, let backlog, _)
        where change.from.fingerprint != change.to.fingerprint || startsToStore:
            step = .replace(engine, outlet, backlog)
            phase = .draining(backlog, HeldDispatches())
        case .bridging(let engine, let outlet, let backlog, _, let bridge)
        where change.from.fingerprint != change.to.fingerprint || startsToStore:
            step = .replace(engine, outlet, backlog)
            phase = .draining(backlog, bridge.held)
        case .failed:
            step = .start
            phase = .waiting(HeldDispatches())
        case .running(let engine, let outlet, let backlog, _):
            phase = .running(engine, outlet, backlog, change.to.validation)
            return .none
        case .bridging(let engine, let outlet, let backlog, _, let bridge):
            phase = .bridging(engine, outlet, backlog, change.to.validation, bridge)
            return .none
        case .waiting, .draining, .stopped: return .none
        }
        isReplacing = true
        return step
    }

    private mutating func goBack() -> ChangeStep {
        switch phase {
        case .running(let engine, let outlet, let backlog, _):
            phase = .waiting(HeldDispatches())
            isReplacing = true
            return .replace(engine, outlet, backlog)
        case .bridging(let engine, let outlet, let backlog, _, let bridge):
            phase = .waiting(bridge.held)
            isReplacing = true
            return .replace(engine, outlet, backlog)
        case .waiting, .draining, .failed, .stopped: return .none
        }
    }

    /// The engine has answered what it had taken, or took too long: it is being stopped.
    mutating func drained() {
        if case .draining(_, let held) = phase { phase = .waiting(held) }
    }

    /// The new definition of the first change is refused: the one before it holds again, unless another change is
    /// pending.
    ///
    /// - Returns: the dispatches that fail for it. They came under other rights than those of the definition that
    ///   stays, which might not allow them.
    mutating func refuse(_ change: Change) -> [ReactorDispatch] {
        if !changes.dropFirst().contains(where: { !$0.goesBack }) { definition = change.from }
        guard changes.contains(where: { $0.to.access != change.from.access }), case .waiting(var held) = phase
        else { return [] }
        let new = held.takeNew()
        phase = .waiting(held)
        return new
    }

    /// The first change is made, or has failed with `fault`.
    mutating func finish(_ change: Change, _ fault: ReactorFault?) {
        changes.removeFirst()
        isReplacing = false
        guard fault != nil else { return }
        // The next change begins with the definition that stays.
        for place in changes.indices {
            changes[place].from = change.from
            guard changes[place].goesBack else { return }
            changes[place].to = change.from
        }
        definition = change.from
    }
}
