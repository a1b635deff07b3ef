public import Rx

/// A control that a user triggers and that can be disabled: a button, a menu item, a key. Conform a toolkit's controls:
///
///     extension Button: ActionControl {
///         nonisolated var triggers: Observable<Void> { clicks.asObservable() }
///         nonisolated func setEnabled(_ isEnabled: Bool) { MainActor.assumeIsolated { sensitive = isEnabled } }
///     }
///
/// Then bind the control to an action, or give it an `ActionBinding` to hold one action at a time.
#if Migration
    @preconcurrency
#endif
public protocol ActionControl<Trigger>: AnyObject, RxSendable {
    /// The value that a trigger carries; `Void` for a plain button.
    associatedtype Trigger: RxSendable

    /// Emits an element each time the control is triggered.
    var triggers: Observable<Trigger> { get }

    /// Enables or disables the control. Called on the binding's scheduler, only when the value changes.
    func setEnabled(_ isEnabled: Bool)
}

extension ActionControl {
    /// Executes `action` on each trigger and enables the control while the action is enabled. Disposing the binding
    /// disables the control.
    ///
    /// The binding retains the action. It retains the control only if the control's `triggers` do.
    ///
    /// - Parameters:
    ///   - action: the action to execute.
    ///   - scheduler: a serial scheduler on which `setEnabled` is called.
    public func bind<Element>(
        to action: Action<Trigger, Element>, scheduler: any ImmediateSchedulerType = MainScheduler.instance
    ) -> any Disposable {
        bind(to: action, scheduler: scheduler, inputTransform: { $0 })
    }

    /// Executes `action` with `inputTransform(trigger)` on each trigger and enables the control while the action is
    /// enabled. Disposing the binding disables the control.
    ///
    /// The binding retains the action. It retains the control only if the control's `triggers` do.
    ///
    /// - Parameters:
    ///   - action: the action to execute.
    ///   - scheduler: a serial scheduler on which `setEnabled` is called.
    ///   - inputTransform: computes the input from the trigger.
    #if Migration
        @preconcurrency
    #endif
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

    /// Executes `action` with `input` on each trigger and enables the control while the action is enabled. Disposing
    /// the binding disables the control.
    ///
    /// The binding retains the action. It retains the control only if the control's `triggers` do.
    ///
    /// - Parameters:
    ///   - action: the action to execute.
    ///   - input: the input of every execution.
    ///   - scheduler: a serial scheduler on which `setEnabled` is called.
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
