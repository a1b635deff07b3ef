public import Rx
internal import Synchronization

/// All mutable state of one reactor, which declares it as a stored property: `let store = Store()`.
///
/// No global table references it and nothing else retains it. Releasing the reactor releases the store: the streams
/// complete and running work is disposed.
public final class ReactorStore<Action: RxSendable, Mutation: RxSendable, State: RxSendable>: Sendable {
    let core: ReactorCore<Action, Mutation, State>
    private let subject: ActionSubject<Action>
    private let isStubbed = Atomic(false)
    private let stubSlot = Locked<StubCore<Action, State>?>(nil)

    /// Creates the store of a reactor that has not started.
    public init() {
        let core = ReactorCore<Action, Mutation, State>()
        self.core = core
        subject = ActionSubject(entry: core, observers: core.actions)
    }

    deinit { core.release() }

    var action: ActionSubject<Action> { activeStub?.action ?? subject }
    var state: Observable<State> { activeStub?.state.asObservable() ?? core.states }
    var errors: Observable<ReactorError> { core.errors }
    func currentState(orInitial initial: @autoclosure () -> State) -> State {
        if let stub = activeStub { return stub.state.value }
        return core.currentState(orInitial: initial)
    }

    // MARK: - Stub

    var isStubEnabled: Bool {
        get { isStubbed.load(ordering: .acquiring) }
        set { isStubbed.store(newValue, ordering: .releasing) }
    }

    func stub(_ initialState: @autoclosure () -> State) -> StubCore<Action, State> {
        if let stub = stubSlot.withLock({ $0 }) { return stub }
        let made = StubCore<Action, State>(core.currentState(orInitial: initialState))
        return stubSlot.withLock { slot in
            if let stub = slot { return stub }
            slot = made
            return made
        }
    }

    /// Installs a new stub in place of an earlier one.
    func replaceStub(_ initialState: @autoclosure () -> State) -> StubCore<Action, State> {
        let made = StubCore<Action, State>(core.currentState(orInitial: initialState))
        let old = stubSlot.withLock { slot in
            defer { slot = made }
            return slot
        }
        // Released outside the lock.
        return withExtendedLifetime(old) { made }
    }

    private var activeStub: StubCore<Action, State>? {
        isStubEnabled ? stubSlot.withLock { $0 } : nil
    }
}
