internal import Rx
public import RxJSON
public import RxReactor

/// How a Swift reactor's actions, mutations and states are told as JSON.
public struct ReactorCoding<R: Reactor>: Sendable {
    /// Throws what is wrong with it.
    public var action: @Sendable (RawJSON) throws(InputFault) -> R.Action
    public var mutation: @Sendable (R.Mutation) -> RawJSON
    /// Needed where mutations are replayed; nil for one that is not known any more.
    public var replayed: (@Sendable (RawJSON) -> R.Mutation?)?
    public var state: @Sendable (R.State) -> any ReactorState
    /// Of what was kept; nil for what is no state.
    public var restored: @Sendable (JSONValue) -> R.State?

    public init(
        action: @escaping @Sendable (RawJSON) throws(InputFault) -> R.Action,
        mutation: @escaping @Sendable (R.Mutation) -> RawJSON,
        replayed: (@Sendable (RawJSON) -> R.Mutation?)? = nil,
        state: @escaping @Sendable (R.State) -> any ReactorState,
        restored: @escaping @Sendable (JSONValue) -> R.State?
    ) {
        self.action = action
        self.mutation = mutation
        self.replayed = replayed
        self.state = state
        self.restored = restored
    }
}

extension ReactorDefinition {
    /// A reactor written in Swift.
    ///
    /// - Parameter make: a new one, which is used once.
    public init<R: Reactor>(
        name: String, summary: String? = nil, kind: String, fingerprint: String, schema: JSONSchema? = nil,
        coding: ReactorCoding<R>, make: @escaping @Sendable () -> R
    ) {
        self.init(
            name: name, summary: summary, kind: kind, fingerprint: fingerprint, schema: schema,
            validate: { action in
                if let schema {
                    let violations = schema.violations(of: action)
                    guard violations.isEmpty else {
                        return violations.map { InputFault(path: $0.path, message: $0.message) }
                    }
                }
                do throws(InputFault) {
                    _ = try coding.action(action)
                    return []
                } catch {
                    return [error]
                }
            },
            makeEngine: { TypedReactorEngine(make(), coding) })
    }
}

/// Runs a reactor written in Swift.
final class TypedReactorEngine<R: Reactor>: ReactorEngine, Sendable {
    private let reactor: R
    private let coding: ReactorCoding<R>
    private let disposal = DisposeBag()
    private let isStopped = Locked(false)

    init(_ reactor: R, _ coding: ReactorCoding<R>) {
        self.reactor = reactor
        self.coding = coding
    }

    func start(from kept: JSONValue?, outlet: any ReactorOutlet) throws(ReactorFault) -> any ReactorState {
        if let kept {
            guard let state = coding.restored(kept) else {
                throw ReactorFault(.restore, "the state that was kept is none of this reactor")
            }
            reactor.restore(state, revision: 0)
        }
        let initial = reactor.snapshot.state
        reactor.transitions.subscribe(onNext: { [unowned self] transition in
            guard !isStopped.withLock({ $0 }) else { return }
            let coding = coding
            let mutation = transition.mutation
            outlet.reduced(
                ReactorStep(
                    input: nil, mutation: { coding.mutation(mutation) }, state: coding.state(transition.state)))
        }).disposed(by: disposal)
        reactor.errors.subscribe(onNext: { error in
            outlet.failed(ReactorFault(error))
        }).disposed(by: disposal)
        return coding.state(initial)
    }

    func dispatch(_ input: ReactorInput, completion: @escaping @Sendable (ReactorFault?) -> Void) {
        let action: R.Action
        do throws(InputFault) {
            action = try coding.action(input.action)
        } catch {
            return completion(ReactorFault(.mutate, error.message, input: input.action))
        }
        guard !isStopped.withLock({ $0 }) else { return completion(ReactorFault(.stopped, "the reactor is stopping")) }
        reactor.dispatch(action) { end in
            switch end {
            case .completed: completion(nil)
            case .failed(let error, _):
                completion(ReactorFault(.mutate, String(describing: error), input: input.action))
            case .released: completion(ReactorFault(.stopped, "the reactor is stopping"))
            }
        }
    }

    func replay(_ mutation: RawJSON) throws(ReactorFault) {
        throw ReactorFault(.restore, "this reactor cannot replay its mutations")
    }

    func stop(completion: @escaping @Sendable () -> Void) {
        isStopped.withLock { $0 = true }
        completion()
    }
}

extension ReactorFault {
    fileprivate init(_ error: ReactorError) {
        let stage: Stage
        switch error {
        case .transformAction, .transformMutation, .transformState: stage = .transform
        case .mutate: stage = .mutate
        }
        self.init(stage, String(describing: error.underlyingError))
    }
}
