internal import RxRecords
internal import Dispatch
internal import Rx
public import RxJSON
public import RxReactor

extension ReactorDefinition {
    /// A reactor in Swift, whose actions, mutations, and states `coding` maps to JSON.
    ///
    /// `make` makes a new reactor, which is used once. Each other parameter sets the property of its name.
    public init<R: Reactor>(
        name: String, summary: String? = nil, kind: String, fingerprint: String,
        stateBytes: Int = ReactorDefinition.stateBytes, schema: JSONSchema? = nil, coding: ReactorCoding<R>,
        make: @escaping @Sendable () -> R
    ) {
        // Looked up once: this generic code is not specialized.
        let inputType = DecodedInput<R.Action>.self
        self.init(
            name: name, summary: summary, kind: kind, fingerprint: fingerprint, stateBytes: stateBytes, schema: schema,
            input: { (action, causes) throws(DispatchRefusal) in
                if !coding.isExact { try schema?.check(action) }
                do throws(InputFault) {
                    return inputType.init(action, try coding.action(action), causes: causes)
                } catch {
                    try schema?.check(action)
                    throw .input([error])
                }
            },
            makeEngine: { TypedReactorEngine(make(), coding, stateBytes: stateBytes) })
    }
}

/// An action in the form of its reactor.
private final class DecodedInput<Action: Sendable>: ReactorInput, @unchecked Sendable {
    // Unchecked: immutable.
    let decoded: Action

    required init(_ action: RawJSON, _ decoded: Action, causes: Causes) {
        self.decoded = decoded
        super.init(action, causes: causes)
    }
}

extension JSONSchema {
    /// Throws `.input` with everything that is wrong with `action`.
    public func check(_ action: RawJSON) throws(DispatchRefusal) {
        let violations = violations(of: action)
        guard violations.isEmpty else {
            throw .input(violations.map { InputFault(path: $0.path, message: $0.message) })
        }
    }
}

/// Runs a reactor in Swift. It calls its outlet in turns of the reactor: one call at a time, and none after the turn in
/// which it was stopped.
final class TypedReactorEngine<R: Reactor>: ReactorEngine, Sendable {
    private enum Phase {
        case new
        case running(any ReactorOutlet)
        case stopped
    }

    private let reactor: R
    private let coding: ReactorCoding<R>
    private let size: StateSize<R>
    private let phase = Locked(Phase.new)
    private let inputType = DecodedInput<R.Action>.self

    init(_ reactor: R, _ coding: ReactorCoding<R>, stateBytes: Int = ReactorDefinition.stateBytes) {
        self.reactor = reactor
        self.coding = coding
        size = StateSize(coding, limit: stateBytes)
    }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        if let kept {
            guard let state = coding.restored(kept) else {
                throw ReactorFault(.restore, "the stored state does not belong to this reactor")
            }
            try size.begin(with: state, kept)
            reactor.restore(state, revision: 0)
            coding.adopted(reactor, state)
        } else {
            let state = reactor.initialState
            try size.begin(with: state, coding.state(state).tree)
        }
        reactor.admitStates { [size, coding, weak reactor] mutation, before, after in
            guard let fault = size.refusal(of: after, mutation, before) else { return nil }
            if let reactor { coding.adopted(reactor, before) }
            return fault
        }
        phase.withLock { $0 = .running(outlet) }
        // Before the first use, so that nothing is missed. They complete with the reactor.
        _ = reactor.transitions.subscribe(onNext: {
            [phase, encoded = coding.mutation, state = coding.state] transition in
            guard let outlet = Self.outlet(phase) else { return }
            let mutation = transition.mutation
            outlet.reduced(
                ReactorStep(
                    input: transition.tag as? ReactorInput, mutation: { encoded(mutation) },
                    state: state(transition.state)))
        })
        _ = reactor.failures.subscribe(onNext: { [phase] failure in
            let input = failure.tag as? ReactorInput
            if let input, input.refusal == nil, case .refused(let error) = failure.error { input.refusal = error }
            Self.outlet(phase)?.failed(ReactorFault(failure.error, input?.action))
        })
        return coding.state(reactor.snapshot.state)
    }

    private static func outlet(_ phase: Locked<Phase>) -> (any ReactorOutlet)? {
        phase.withLock { phase in
            guard case .running(let outlet) = phase else { return nil }
            return outlet
        }
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        let action: R.Action
        if type(of: input) == inputType {
            action = unsafeDowncast(input, to: DecodedInput<R.Action>.self).decoded
        } else {
            do throws(InputFault) {
                action = try coding.action(input.action)
            } catch {
                return refuse(ReactorFault(.mutate, error.message, input: input.action), completion)
            }
        }
        reactor.dispatch(action, tag: input) { [phase] end in
            // The action has ended, but its mutations were not reported.
            guard Self.outlet(phase) != nil else { return completion(.stopping) }
            switch end {
            case .completed: completion(input.refusal.map { ReactorFault(.refused($0), input.action) })
            case .failed(let error, _): completion(ReactorFault(.mutate(error), input.action))
            case .released: completion(.stopping)
            }
        }
    }

    /// Reports the fault in a turn, like everything else. The completion does not wait for the turn, since a stopped
    /// reactor takes no more turns.
    private func refuse(_ fault: ReactorFault, _ completion: @escaping @Sendable (ReactorFault?) -> Void) {
        if Self.outlet(phase) == nil { return completion(.stopping) }
        _ = reactor.executor.schedule(fault) { [phase] fault in
            Self.outlet(phase)?.failed(fault)
            return Disposables.create()
        }
        completion(fault)
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {
        guard let replayed = coding.replayed else {
            throw ReactorFault(.restore, "this reactor cannot replay its mutations")
        }
        guard let known = replayed(mutation) else {
            throw ReactorFault(.restore, "this reactor does not know the mutation", input: mutation)
        }
        let before = reactor.snapshot.revision
        inTurn { [reactor, coding] in
            reactor.replay(known)
            coding.adopted(reactor, reactor.snapshot.state)
        }
        guard reactor.snapshot.revision > before else { throw size.fault }
    }

    /// Runs `body` in a turn and returns when it is done. It waits while another thread has the turn.
    private func inTurn(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        _ = reactor.executor.schedule(()) { _ in
            body()
            done.signal()
            return Disposables.create()
        }
        done.wait()
    }

    func stop(completion: @escaping @Sendable () -> Void) {
        // Before the first use there are no turns, and after the stop the outlet is not called.
        guard Self.outlet(phase) != nil else { return completion() }
        _ = reactor.executor.schedule(()) { [phase, reactor] _ in
            phase.withLock { $0 = .stopped }
            reactor.release()
            completion()
            return Disposables.create()
        }
    }
}

extension ReactorFault {
    fileprivate static var stopping: ReactorFault { ReactorFault(.stopped, "the reactor is stopping") }

    fileprivate init(_ error: ReactorError, _ input: RawJSON?) {
        let stage: Stage
        switch error {
        case .transformAction, .transformMutation, .transformState: stage = .transform
        case .mutate: stage = .mutate
        case .refused: stage = .size
        }
        // The program that embeds the host wrote the error, and so decides what it shows.
        self.init(
            stage, (error.underlyingError as? ReactorFault)?.message ?? String(describing: error.underlyingError),
            input: input)
    }
}
