public import Rx

/// Replaces a reactor in tests of code bound to it. Records actions and emits the states that a test sets.
///
/// Nothing reaches `mutate`, `reduce`, or a transform.
public final class Stub<R: ReactorProtocol>: Sendable {
    let core: StubCore<R.Action, R.State>

    /// Creates a stub of `reactor` and makes it `reactor.stub`, in place of an earlier one. Set
    /// `reactor.isStubEnabled` to show its states as those of the reactor.
    ///
    /// - Parameters:
    ///   - reactor: the reactor to replace; not retained.
    ///   - disposeBag: ends the recording of actions when it is disposed. Without one, the recording does not end.
    public convenience init(reactor: R, disposeBag: DisposeBag? = nil) {
        self.init(reactor.store.replaceStub(reactor.initialState))
        if let disposeBag { Disposables.create { [core] in core.stopRecording() }.disposed(by: disposeBag) }
    }

    init(_ core: StubCore<R.Action, R.State>) {
        self.core = core
    }

    /// The reactor's `action` while its stub is enabled.
    public var action: ActionSubject<R.Action> { core.action }
    /// The reactor's `state` while its stub is enabled; its value is `currentState`. Begins with the reactor's current
    /// state.
    public var state: StateRelay<R.State> { core.state }
    /// The recorded actions, oldest first. Grows without limit; for tests only.
    public var actions: [R.Action] { core.actions }
}

/// A stub without the type of its reactor, which the reactor's store does not know.
final class StubCore<Action: RxSendable, State: RxSendable>: Sendable {
    let action: ActionSubject<Action>
    let state: StateRelay<State>
    private let record = Record<Action>()

    init(_ state: State) {
        self.state = StateRelay(value: state)
        action = ActionSubject(entry: record, observers: record.observers)
    }

    var actions: [Action] { record.list.withLock { $0.actions } }
    func stopRecording() { record.list.withLock { $0.isStopped = true } }
}

private final class Record<Action: RxSendable>: ActionEntry<Action>, @unchecked Sendable {
    // Unchecked: `list` has its own lock.
    let list = Locked<(actions: [Action], isStopped: Bool)>(([], false))
    let observers = PublishSubject<Action>()

    override func dispatch(_ action: Action) {
        list.withLock { list in
            if !list.isStopped { list.actions.append(action) }
        }
        observers.onNext(action)
    }
}
