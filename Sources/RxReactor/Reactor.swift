public import Rx

#if Migration
    /// A state machine that takes actions, turns them into mutations, and reduces those to states: a base class, which
    /// holds everything mutable, and a protocol.
    ///
    /// A class that has another base class conforms to `ReactorProtocol` and declares `let store = Store()`.
    public typealias Reactor = ReactorStorage & ReactorProtocol
#else
    /// A state machine that takes actions, turns them into mutations, and reduces those to states: see
    /// `ReactorProtocol`.
    public typealias Reactor = ReactorProtocol
#endif

/// The requirements of a `Reactor`.
///
/// A conforming class is `final`, stores only `Sendable` values, and declares `let store = Store()`, which holds
/// everything mutable. `reduce(state:mutation:)` must be pure; side effects belong in `mutate(action:)`.
///
/// Extend this protocol and not `Reactor`, which is also a base class under the package trait `Migration`.
#if Migration
    @preconcurrency
#endif
public protocol ReactorProtocol: AnyObject, RxSendable {
    /// A request from a user or from another part of the program.
    associatedtype Action: RxSendable
    /// A change of the state.
    associatedtype Mutation: RxSendable = Action
    /// The state that the mutations change.
    associatedtype State: RxSendable

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

extension ReactorProtocol {
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

extension ReactorProtocol where Action == Mutation {
    /// Returns the action as its own mutation.
    public func mutate(action: Action) -> Observable<Mutation> { .just(action) }
}
