public import Rx

/// What a user triggers and what can be switched off: a button, a menu item, a key. Conform those of a toolkit to it:
///
///     extension Button: ActionControl {
///         nonisolated var triggers: Observable<Void> { clicks.asObservable() }
///         nonisolated func setEnabled(_ isEnabled: Bool) { MainActor.assumeIsolated { sensitive = isEnabled } }
///     }
///
/// then bind it to an action, or give it an `ActionBinding` for the one action it has at a time.
public protocol ActionControl<Trigger>: AnyObject, Sendable {
    associatedtype Trigger: Sendable

    /// An element each time it is triggered.
    var triggers: Observable<Trigger> { get }

    /// Called on the scheduler of the binding, with each change only.
    func setEnabled(_ isEnabled: Bool)
}

extension ActionControl {
    /// Each trigger executes `action`, and the control is enabled while that is, until the binding is disposed; then it is
    /// disabled, since triggering it would do nothing.
    ///
    /// Keeps the action alive, and the control only as far as its own `triggers` do.
    ///
    /// - Parameter scheduler: where `setEnabled` is called; a serial one.
    public func bind<Element>(
        to action: Action<Trigger, Element>, scheduler: any ImmediateSchedulerType = MainScheduler.instance
    ) -> any Disposable {
        bind(to: action, scheduler: scheduler, inputTransform: { $0 })
    }

    /// The same with what `inputTransform` makes of each trigger.
    public func bind<Input, Element>(
        to action: Action<Input, Element>, scheduler: any ImmediateSchedulerType = MainScheduler.instance,
        inputTransform: @escaping @Sendable (Trigger) -> Input
    ) -> any Disposable {
        let binding = follow(action, scheduler, inputTransform)
        return Disposables.create { [weak self] in
            binding.dispose()
            self?.disable(on: scheduler)
        }
    }

    /// The same with this input each time.
    public func bind<Input, Element>(
        to action: Action<Input, Element>, input: Input,
        scheduler: any ImmediateSchedulerType = MainScheduler.instance
    ) -> any Disposable {
        bind(to: action, scheduler: scheduler, inputTransform: { _ in input })
    }

    func follow<Input, Element>(
        _ action: Action<Input, Element>, _ scheduler: any ImmediateSchedulerType,
        _ inputTransform: @escaping @Sendable (Trigger) -> Input
    ) -> any Disposable {
        let levels = action.enabled.observe(on: scheduler).subscribe(onNext: { [weak self] in self?.setEnabled($0) })
        return Disposables.create(levels, triggers.bind(to: action, inputTransform: inputTransform))
    }

    func disable(on scheduler: any ImmediateSchedulerType) {
        _ = scheduler.schedule(()) { [weak self] in
            self?.setEnabled(false)
            return Disposables.create()
        }
    }
}
