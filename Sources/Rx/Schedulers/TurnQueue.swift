/// A scheduler over a dispatch queue, from which turns can be had that are not to be disposed: one `async` each.
protocol TurnQueue: ImmediateSchedulerType {
    func turn(_ body: @escaping @Sendable () -> Void)
}

extension TurnQueue {
    func turn(_ body: @escaping @Sendable () -> Void) {
        _ = schedule(()) { _ in
            body()
            return Disposables.create()
        }
    }
}
