internal import Rx

/// Replaces a reactor in tests of code bound to it. Records actions and emits the states that a test sets.
///
/// Nothing reaches `mutate`, `reduce`, or a transform.
public final class Stub<Action: Sendable, State: Sendable>: Sendable {
    /// The reactor's `action` while its stub is enabled.
    public let action: ActionSubject<Action>
    /// The reactor's `state` while its stub is enabled; its value is `currentState`.
    public let state: StateRelay<State>
    private let record: Record<Action>

    init(_ initialState: State) {
        state = StateRelay(value: initialState)
        let record = Record<Action>()
        self.record = record
        action = ActionSubject(entry: record, observers: record.observers)
    }

    /// The recorded actions, oldest first. Grows without limit; for tests only.
    public var actions: [Action] { record.actions.withLock { $0 } }
}

private final class Record<Action: Sendable>: ActionEntry<Action>, @unchecked Sendable {
    // Unchecked: `actions` has its own lock.
    let actions = Locked<[Action]>([])
    let observers = PublishSubject<Action>()

    override func dispatch(_ action: Action) {
        actions.withLock { $0.append(action) }
        observers.onNext(action)
    }
}
