internal import Rx

/// Stands in for a reactor in tests of what is bound to it: it keeps the actions and shows the states that a test sets.
///
/// Nothing of it reaches `mutate`, `reduce` or a transform.
public final class Stub<Action: Sendable, State: Sendable>: Sendable {
    /// `action` of the reactor while its stub is enabled.
    public let action: ActionSubject<Action>
    /// `state` of the reactor while its stub is enabled, its value `currentState`.
    public let state: StateRelay<State>
    private let record: Record<Action>

    init(_ initialState: State) {
        state = StateRelay(value: initialState)
        let record = Record<Action>()
        self.record = record
        action = ActionSubject(entry: record, observers: record.observers)
    }

    /// What `action` was sent, the oldest first. It grows with each: for tests.
    public var actions: [Action] { record.actions.withLock { $0 } }
}

private final class Record<Action: Sendable>: ActionEntry<Action>, @unchecked Sendable {
    // Unchecked: `actions` guards itself.
    let actions = Locked<[Action]>([])
    let observers = PublishSubject<Action>()

    override func dispatch(_ action: Action) {
        actions.withLock { $0.append(action) }
        observers.onNext(action)
    }
}
