/// Runs each piece of work in a task, on the threads of Swift's concurrency. Has no timers.
public final class CooperativeWorkQueue: WorkQueue, @unchecked Sendable {
    public override init() { super.init() }

    public override func async(_ body: @escaping @Sendable () -> Void) {
        Task.detached { body() }
    }
}
