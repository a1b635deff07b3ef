/// An observer that calls a closure with a weakly held object and each element, on a scheduler.
///
/// An error is a programming error: it stops a debug build and is ignored in a release build. Nothing happens once the
/// object is deallocated.
///
///     let title = Binder(label) { label, text in label.text = text }
///     name.bind(to: title)
public struct Binder<Value: RxSendable>: ObserverType, Sendable {
    /// The type of the elements.
    public typealias Element = Value

    private let binding: @Sendable (Event<Value>) -> Void

    /// Creates a binder.
    ///
    /// - Parameters:
    ///   - target: the object that is passed to `binding`; held weakly.
    ///   - scheduler: where `binding` runs.
    ///   - binding: called with the target and each element.
    #if Migration
        @preconcurrency
    #endif
    public init<Target: AnyObject & RxSendable>(
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

    /// Creates a binder whose closure runs on the main actor and may use its state.
    #if Migration
        @preconcurrency
    #endif
    public init<Target: AnyObject & RxSendable>(
        _ target: Target, binding: @escaping @MainActor @Sendable (Target, Value) -> Void
    ) {
        self.init(target, scheduler: MainScheduler()) { target, value in
            MainActor.assumeIsolated { binding(target, value) }
        }
    }

    /// Schedules `binding` for an element; ignores completion.
    public func on(_ event: Event<Value>) { binding(event) }

    /// The binder as a type-erased observer.
    public func asObserver() -> AnyObserver<Value> { AnyObserver(eventHandler: binding) }
}
