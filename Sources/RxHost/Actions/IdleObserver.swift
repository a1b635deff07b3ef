/// A function to be called once when an action is idle; its identity serves to remove it.
final class IdleObserver: Sendable {
    let call: @Sendable () -> Void

    init(_ call: @escaping @Sendable () -> Void) { self.call = call }
}
