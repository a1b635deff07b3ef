public import Rx

/// A state machine: it takes actions, makes mutations of them, and reduces those to states.
///
/// A conforming class is `final`, keeps only what is `Sendable`, and has the line `let store = Store()`, where everything
/// that changes is kept. `reduce(state:mutation:)` decides purely; what else happens, happens in `mutate(action:)`.
public protocol Reactor: AnyObject, Sendable {
    /// What a user or another part of the program wants.
    associatedtype Action: Sendable
    /// What changes in the state, and nothing else.
    associatedtype Mutation: Sendable = Action
    associatedtype State: Sendable

    typealias Store = ReactorStore<Action, Mutation, State>
    typealias Scheduler = ImmediateSchedulerType

    /// What changes of this reactor. It goes when the reactor goes: a property, and held by nobody else.
    var store: ReactorStore<Action, Mutation, State> { get }

    /// Takes the actions. It sends on what it received, in the reactor's turns, just before `transform(action:)` gets it.
    var action: ActionSubject<Action> { get }

    /// What the reactor starts with, unless another state was given to `restore(_:revision:)`.
    var initialState: State { get }

    /// The latest that `state` has; told to be so before any subscriber is told.
    var currentState: State { get }

    /// The states, the latest one first. It does not fail and completes when the reactor goes.
    var state: Observable<State> { get }

    /// Where the reactor takes its turns; on the thread of whoever comes first, unless overridden.
    var scheduler: any Scheduler { get }

    /// Asked once, with the actions that arrive: what is to be mutated instead of them, in addition to them, or later.
    func transform(action: Observable<Action>) -> Observable<Action>

    /// The mutations of an action. Its completion ends nothing else; an error is published on `errors`.
    func mutate(action: Action) -> Observable<Mutation>

    /// Asked once, with the mutations of all actions: here other streams are merged in.
    func transform(mutation: Observable<Mutation>) -> Observable<Mutation>

    /// The state after `mutation`.
    func reduce(state: State, mutation: Mutation) -> State

    /// Asked once, with the states as they are reduced, the initial one included: what `state` has instead of them.
    func transform(state: Observable<State>) -> Observable<State>
}

extension Reactor {
    public var scheduler: any Scheduler { CurrentThreadScheduler.instance }

    public func transform(action: Observable<Action>) -> Observable<Action> { action }

    public func mutate(action: Action) -> Observable<Mutation> { .empty() }

    public func transform(mutation: Observable<Mutation>) -> Observable<Mutation> { mutation }

    public func reduce(state: State, mutation: Mutation) -> State { state }

    public func transform(state: Observable<State>) -> Observable<State> { state }
}

extension Reactor where Action == Mutation {
    /// Each action is its own mutation.
    public func mutate(action: Action) -> Observable<Mutation> { .just(action) }
}

extension Reactor {
    public var action: ActionSubject<Action> {
        if !store.isStubEnabled { store.start(self) }
        return store.action
    }

    public var currentState: State { store.currentState(orInitial: initialState) }

    public var state: Observable<State> {
        if !store.isStubEnabled { store.start(self) }
        return store.state
    }

    /// What went wrong, as it happens: the reactor lives on. Completes when the reactor goes.
    ///
    /// An error that nobody is subscribed for goes to `Hooks.defaultErrorHandler`.
    public var errors: Observable<ReactorError> { store.errors }

    /// The property that `transform` picks from the state: its value at first, and then each time it is assigned to.
    public func pulse<Value: Sendable>(
        _ transform: @escaping @Sendable (State) throws -> Pulse<Value>
    ) -> Observable<Value> {
        state.map(transform).distinctUntilChanged(\.valueUpdatedCount).map(\.value)
    }

    /// What stands in for the reactor while `isStubEnabled` is set: for tests of what is bound to it.
    public var stub: Stub<Action, State> { store.stub(initialState) }

    /// Whether `action`, `state` and `currentState` are those of `stub`; who has asked for them before keeps the real ones.
    public var isStubEnabled: Bool {
        get { store.isStubEnabled }
        set {
            if newValue { _ = stub }
            store.isStubEnabled = newValue
        }
    }
}
