/// A dispatch queue scheduler with turns that cannot be disposed: one `async` call each.
protocol TurnQueue: ImmediateSchedulerType {
    func turn(_ body: @escaping @Sendable () -> Void)

    /// A turn behind what waits in the queue. Called within a turn, which never runs `body` itself.
    func turnLater(_ body: @escaping @Sendable () -> Void)
}

extension TurnQueue {
    func turn(_ body: @escaping @Sendable () -> Void) {
        _ = schedule(()) { _ in
            body()
            return Disposables.create()
        }
    }

    func turnLater(_ body: @escaping @Sendable () -> Void) { turn(body) }
}
