/// An observer that hands elements to a closure, on a scheduler and with an object, which is held weakly.
///
/// It does not take errors: one is a programming error, which stops a debug build and is ignored in a release build.
/// Nothing is done once the object has gone.
///
///     let title = Binder(label) { label, text in label.text = text }
///     name.bind(to: title)
public struct Binder<Value: Sendable>: ObserverType {
    public typealias Element = Value

    private let binding: @Sendable (Event<Value>) -> Void

    /// - Parameter scheduler: where `binding` runs.
    public init<Target: AnyObject & Sendable>(
        _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler(),
        binding: @escaping @Sendable (Target, Value) -> Void
    ) {
        self.binding = { [weak target] event in
            switch event {
            case .next(let element):
                _ = scheduler.schedule(element) { [weak target] element in
                    if let target { binding(target, element) }
                    return Disposables.create()
                }
            case .error(let error):
                assertionFailure("what is bound does not fail: \(error)")
            case .completed:
                break
            }
        }
    }

    /// On the main actor: for a closure that touches what belongs to it.
    public init<Target: AnyObject & Sendable>(
        _ target: Target, binding: @escaping @MainActor @Sendable (Target, Value) -> Void
    ) {
        self.init(target, scheduler: MainScheduler()) { target, value in
            MainActor.assumeIsolated { binding(target, value) }
        }
    }

    public func on(_ event: Event<Value>) { binding(event) }

    public func asObserver() -> AnyObserver<Value> { AnyObserver(eventHandler: binding) }
}
