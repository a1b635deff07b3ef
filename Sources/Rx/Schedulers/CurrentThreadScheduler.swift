/// Runs actions on the calling thread: at once if no scheduled action is running there, otherwise after the running and
/// waiting ones.
public final class CurrentThreadScheduler: ImmediateSchedulerType, Sendable {
    /// The shared instance.
    public static let instance = CurrentThreadScheduler()

    private init() {}

    /// Whether no scheduled action is running on this thread, so that `schedule` would run its action at once.
    public static var isScheduleRequired: Bool { !Trampoline.current.isRunning }

    /// Runs `action` with `state` on the calling thread, at once or after the running and waiting actions. Disposing
    /// the result cancels the action.
    #if Migration
        @preconcurrency
    #endif
    public func schedule<State: RxSendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        guard let trampoline = Trampoline.enter() else {
            let item = ScheduledItem(state, action)
            Trampoline.current.append(item)
            return item
        }
        let disposable = action(state)
        trampoline.leave()
        return disposable
    }

    /// Runs `body` as if no action were running on this thread, for a `body` that waits for actions that it schedules
    /// here.
    package static func apart<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Trampoline.apart(body)
    }
}
