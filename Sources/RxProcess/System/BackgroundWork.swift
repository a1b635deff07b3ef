/// Other threads, for work that may block.
protocol BackgroundWork: Sendable {
    /// Calls `body` once on another thread. Bodies may run at the same time and in any order.
    func run(_ body: @escaping @Sendable () -> Void)
}
