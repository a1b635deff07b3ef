/// Runs actions on the calling thread: at once when nothing scheduled runs here, else after what runs and what waits.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
    public static let instance = CurrentThreadScheduler()

    private init() {}

    /// Whether nothing scheduled runs on this thread, so that `schedule` would run its action at once.
    public static var isScheduleRequired: Bool { !Trampoline.current.isRunning }

    public func schedule<State: Sendable>(
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

    /// Runs `body`, which will wait for what it schedules here, as if nothing ran on this thread.
    package static func apart<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Trampoline.apart(body)
    }
}
