public import Rx

// The part of a reactor that its store provides.
extension ReactorProtocol {
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
    #if Migration
        @preconcurrency
    #endif
    public func pulse<Value: RxSendable>(
        _ transform: @escaping @Sendable (State) throws -> Pulse<Value>
    ) -> Observable<Value> {
        state.map(transform).distinctUntilChanged(\.valueUpdatedCount).map(\.value)
    }

    /// A replacement for the reactor while `isStubEnabled` is set, for tests of code that is bound to it. Every call
    /// returns a view of the same stub.
    public var stub: Stub<Self> { Stub(store.stub(initialState)) }

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
