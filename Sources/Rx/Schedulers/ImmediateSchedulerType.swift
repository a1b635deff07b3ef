/// Runs actions on threads of its choice.
#if Migration
    @preconcurrency
#endif
public protocol ImmediateSchedulerType: RxSendable {
    /// Runs `action` with `state` as soon as possible. Disposing the result cancels the action or disposes what it
    /// returned.
    #if Migration
        @preconcurrency
    #endif
    func schedule<State: RxSendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable
}

extension ImmediateSchedulerType {
    /// Runs `action`, and again each time it calls its closure argument. Disposing the result stops the recursion.
    #if Migration
        @preconcurrency
    #endif
    public func scheduleRecursive<State: RxSendable>(
        _ state: State, action: @escaping @Sendable (_ state: State, _ recurse: @Sendable (State) -> Void) -> Void
    ) -> any Disposable {
        let recursion = Recursion(scheduler: self, action: action)
        recursion.schedule(state)
        // Not the recursion, which holds the action.
        return recursion.current
    }
}

/// An action that reschedules itself, with one disposable for all runs.
final class Recursion<State: RxSendable>: @unchecked Sendable {
    // Unchecked: immutable except for `current`, which is thread-safe.
    private let scheduler: any ImmediateSchedulerType
    private let action: @Sendable (State, @Sendable (State) -> Void) -> Void
    let current = CompositeDisposable()

    init(scheduler: any ImmediateSchedulerType, action: @escaping @Sendable (State, @Sendable (State) -> Void) -> Void)
    {
        self.scheduler = scheduler
        self.action = action
    }

    func schedule(_ state: State) {
        let turn = SingleAssignmentDisposable()
        guard let key = current.insert(turn) else { return }
        turn.setDisposable(
            scheduler.schedule(state) { state in
                self.current.remove(for: key)
                self.action(state) { self.schedule($0) }
                return Disposables.create()
            })
    }
}
