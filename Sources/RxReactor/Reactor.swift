public import Rx

/// A state machine that takes actions, turns them into mutations, and reduces those to states.
///
/// A conforming class is `final`, stores only `Sendable` values, and declares `let store = Store()`, which holds
/// everything mutable. `reduce(state:mutation:)` must be pure; side effects belong in `mutate(action:)`.
public protocol Reactor: AnyObject, Sendable {
    /// A request from a user or from another part of the program.
    associatedtype Action: Sendable
    /// A change of the state.
    associatedtype Mutation: Sendable = Action
    /// The state that the mutations change.
    associatedtype State: Sendable

    typealias Store = ReactorStore<Action, Mutation, State>
    typealias Scheduler = ImmediateSchedulerType

    /// The mutable part of this reactor. Must be a stored property, retained by nothing else, so that it is released
    /// with the reactor.
    var store: ReactorStore<Action, Mutation, State> { get }

    /// Receives actions. Emits each one in its turn, just before `transform(action:)` gets it.
    var action: ActionSubject<Action> { get }

    /// The first state, unless `restore(_:revision:)` sets another one.
    var initialState: State { get }

    /// The latest value of `state`. Updated before any subscriber gets the value.
    var currentState: State { get }

    /// The states, starting with the latest. Grammar: `next+ completed`; it never fails and completes when the reactor
    /// is released.
    var state: Observable<State> { get }

    /// Where the reactor takes its turns. By default, the thread of the caller.
    var scheduler: any Scheduler { get }

    /// Transforms the sequence of incoming actions: replaces, adds, or delays actions. Called once.
    func transform(action: Observable<Action>) -> Observable<Action>

    /// Returns the mutations of an action. Completion ends only this sequence; `errors` publishes an error.
    func mutate(action: Action) -> Observable<Mutation>

    /// Transforms the sequence of all mutations, typically to merge in other streams. Called once.
    func transform(mutation: Observable<Mutation>) -> Observable<Mutation>

    /// Returns the state after `mutation`. Must be pure.
    func reduce(state: State, mutation: Mutation) -> State

    /// Transforms the sequence of reduced states, including the initial one, into that of `state`. Called once.
    func transform(state: Observable<State>) -> Observable<State>
}

extension Reactor {
    /// Takes turns on the thread of the caller.
    public var scheduler: any Scheduler { CurrentThreadScheduler.instance }

    /// Returns `action` unchanged.
    public func transform(action: Observable<Action>) -> Observable<Action> { action }

    /// Returns no mutations.
    public func mutate(action: Action) -> Observable<Mutation> { .empty() }

    /// Returns `mutation` unchanged.
    public func transform(mutation: Observable<Mutation>) -> Observable<Mutation> { mutation }

    /// Returns `state` unchanged.
    public func reduce(state: State, mutation: Mutation) -> State { state }

    /// Returns `state` unchanged.
    public func transform(state: Observable<State>) -> Observable<State> { state }
}

extension Reactor where Action == Mutation {
    /// Returns the action as its own mutation.
    public func mutate(action: Action) -> Observable<Mutation> { .just(action) }
}

extension Reactor {
    /// Receives actions; the stub's subject while `isStubEnabled` is set. The first use starts the reactor.
    public var action: ActionSubject<Action> {
        if !store.isStubEnabled { store.start(self) }
        return store.action
    }

    /// The latest value of `state`; the stub's state while `isStubEnabled` is set. The first use starts the reactor.
    public var currentState: State { store.currentState(orInitial: initialState) }

    /// The states, starting with the latest; the stub's states while `isStubEnabled` is set. The first use starts the
    /// reactor.
    public var state: Observable<State> {
        if !store.isStubEnabled { store.start(self) }
        return store.state
    }

    /// The errors of `mutate`, the transforms, and the admission check. The reactor continues after each. Grammar:
    /// `next* completed`; completes when the reactor is released.
    ///
    /// An error without a subscriber goes to `Hooks.defaultErrorHandler`.
    public var errors: Observable<ReactorError> { store.errors }

    /// The pulse property that `transform` selects from the state: its current value, then its value after each
    /// assignment.
    public func pulse<Value: Sendable>(
        _ transform: @escaping @Sendable (State) throws -> Pulse<Value>
    ) -> Observable<Value> {
        state.map(transform).distinctUntilChanged(\.valueUpdatedCount).map(\.value)
    }

    /// A replacement for the reactor while `isStubEnabled` is set, for tests of code that is bound to it.
    public var stub: Stub<Action, State> { store.stub(initialState) }

    /// Whether `action`, `state`, and `currentState` come from `stub`. Values obtained earlier stay those of the
    /// reactor.
    public var isStubEnabled: Bool {
        get { store.isStubEnabled }
        set {
            if newValue { _ = stub }
            store.isStubEnabled = newValue
        }
    }
}
