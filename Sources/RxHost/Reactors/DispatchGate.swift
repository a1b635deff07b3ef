internal import RxRecords
internal import RxStore
internal import RxJSON
internal import RxPlatform
internal import Rx

/// The way of a dispatch to the engine: it is validated by the definition whose engine gets it, held while there is no
/// engine, and held while the log lacks steps until a snapshot has bridged that. If the snapshot fails, the dispatch
/// fails before the engine has seen it.
struct DispatchGate {
    private let reactor: HostedReactor
    private let lifecycle: Locked<ReactorLifecycle>

    init(_ reactor: HostedReactor) {
        self.reactor = reactor
        lifecycle = reactor.lifecycle
    }

    /// Dispatches an action. See `HostedReactor.dispatch`.
    func dispatch(
        _ action: RawJSON, _ causes: Causes, _ completion: @escaping @Sendable (Result<UInt64, DispatchRefusal>) -> Void
    ) {
        let validation = lifecycle.withLock { $0.definition.validation }
        let input: ReactorInput
        do throws(DispatchRefusal) {
            input = try validation.validate(action, causes)
        } catch {
            return completion(.failure(error))
        }
        if let refusal = reactor.admit(input) { return completion(.failure(refusal)) }
        pass(ReactorDispatch(input: input, completion: completion), validatedBy: validation.number)
    }

    /// Sends a dispatch to the engine, or holds it until there is one.
    private func pass(_ dispatch: ReactorDispatch, validatedBy number: UInt64) {
        switch lifecycle.withLock({ $0.dispatch(dispatch, validatedBy: number) }) {
        case .send(let engine, let backlog): send(dispatch, to: engine, backlog)
        // The definition has changed meanwhile: validating takes a while.
        case .validate(let validation): pass(dispatch, by: validation)
        case .held: break
        case .bridge(let number): bridge(number)
        case .refuse(.stopping): reactor.answer(dispatch, .failure(reactor.stoppedRefusal))
        case .refuse(let refusal): reactor.answer(dispatch, .failure(refusal))
        }
    }

    private func pass(_ dispatch: ReactorDispatch, by validation: DispatchValidation) {
        if let dispatch = validated(dispatch, by: validation) { pass(dispatch, validatedBy: validation.number) }
    }

    /// The dispatch as another definition validates it; nil if that refuses it, and it is answered.
    private func validated(_ dispatch: ReactorDispatch, by validation: DispatchValidation) -> ReactorDispatch? {
        do throws(DispatchRefusal) {
            let input = try validation.validate(dispatch.input.action, dispatch.input.causes)
            return ReactorDispatch(input: input, completion: dispatch.completion)
        } catch {
            reactor.answer(dispatch, .failure(error))
            return nil
        }
    }

    /// Sends a dispatch that has entered the backlog.
    private func send(_ dispatch: ReactorDispatch, to engine: any ReactorEngine, _ backlog: EngineBacklog) {
        engine.dispatch(dispatch.input) { fault in
            switch fault {
            case nil: reactor.ended(dispatch)
            case let fault? where fault.stage == .stopped: stopped(dispatch, fault, engine, backlog)
            case let fault? where fault.isRefusal:
                reactor.answer(dispatch, .failure(.refused(reactor.located(fault))))
            case let fault?: reactor.answer(dispatch, .failure(.failed(reactor.located(fault))))
            }
            backlog.leave()
        }
    }

    /// An engine was stopped before it had answered a dispatch.
    private func stopped(
        _ dispatch: ReactorDispatch, _ fault: ReactorFault, _ engine: any ReactorEngine, _ backlog: EngineBacklog
    ) {
        if fault.isWithoutEffect {
            switch lifecycle.withLock({ $0.giveBack(dispatch, from: engine) }) {
            case .held: return
            case .validate(let validation): return pass(dispatch, by: validation)
            case .none: break
            }
        }
        if let loss = backlog.loss { return reactor.failWhenBack(dispatch, loss) }
        if case .stopping = reactor.stoppedRefusal { return reactor.answer(dispatch, .failure(.stopping)) }
        let message = "a reload ended the reactor's engine before the action had ended"
        reactor.answer(dispatch, .failure(.failed(ReactorFault(.stopped, message, input: fault.input))))
    }

    // MARK: Holding

    /// Opens for an engine of `definition` that has started, and sends it what was held.
    func open(for engine: any ReactorEngine, _ outlet: Outlet, as definition: ReactorDefinition) {
        let backlog = EngineBacklog()
        while true {
            switch lifecycle.withLock({ $0.run(engine, outlet, backlog, as: definition) }) {
            case .send(let held):
                for dispatch in held {
                    // The definition need not be the one that has validated it.
                    guard let dispatch = validated(dispatch, by: definition.validation) else { continue }
                    backlog.enter()
                    send(dispatch, to: engine, backlog)
                }
            case .running: return
            case .bridge(let number): return bridge(number)
            case .stop: return engine.stop { reactor.finishStopping() }
            }
        }
    }

    /// Attempts to bridge the log with the present state, for the dispatches that are held.
    private func bridge(_ number: Int) {
        // The thread that calls the completion may be the one that writes.
        let queue = reactor.services.platform.queues.shared
        let completion: @Sendable (StoreError?) -> Void = { error in queue.async { bridged(number, error) } }
        while true {
            guard let log = reactor.keptLog else { return completion(nil) }
            // A reactor that goes back has another engine soon, which gets what is held, and its own snapshot.
            guard let levels = reactor.levelsToKeep else { return }
            let isRequested = log.bridge(
                levels.value.state, revision: levels.value.revision, time: reactor.services.time,
                fingerprint: levels.fingerprint, completion: completion)
            if isRequested { return }
        }
    }

    private func bridged(_ number: Int, _ error: StoreError?) {
        while true {
            switch lifecycle.withLock({ $0.bridged(number, hasFailed: error != nil) }) {
            case .send(let held, let engine, let backlog, let validation):
                for dispatch in held {
                    if let dispatch = validated(dispatch, by: validation) {
                        send(dispatch, to: engine, backlog)
                    } else {
                        backlog.leave()
                    }
                }
            case .refuse(let refused, let next):
                if let error { for dispatch in refused { reactor.answer(dispatch, .failure(.notKept(error))) } }
                if let next { bridge(next) }
                return
            case .over: return
            }
        }
    }
}
