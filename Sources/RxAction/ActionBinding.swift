public import Rx

/// The single action of a control. Binding another action replaces the current one; an unbound control is disabled.
///
/// Backs the property that RxSwift code writes as `button.rx.action = action` and `button.rx.action = nil`:
///
///     extension Reactive where Base: Button {
///         var action: TriggerAction? {
///             get { base.binding.action }
///             nonmutating set { base.binding.action = newValue }
///         }
///     }
///
/// Store the binding in the control, which it references weakly. Releasing the binding ends it.
public final class ActionBinding<Control: ActionControl>: Sendable {
    private struct Bound {
        let action: any AnyObject & Sendable
        let subscription: any Disposable
    }

    private weak let control: Control?
    private let scheduler: any ImmediateSchedulerType & Sendable
    private let bound = Locked<Bound?>(nil)

    /// Creates a binding without an action.
    ///
    /// - Parameters:
    ///   - control: the control to enable and disable; held weakly.
    ///   - scheduler: a serial scheduler on which the control's `setEnabled` is called.
    #if Migration
        @preconcurrency
    #endif
    public init(_ control: Control, scheduler: any ImmediateSchedulerType & Sendable = MainScheduler.instance) {
        self.control = control
        self.scheduler = scheduler
    }

    deinit { bound.withLock { $0 }?.subscription.dispose() }

    /// Replaces the current action: each trigger of the control executes `action` with the trigger as its input.
    public func bind<Element>(to action: Action<Control.Trigger, Element>) {
        bind(to: action, inputTransform: { $0 })
    }

    /// Replaces the current action: each trigger executes `action` with `inputTransform(trigger)`.
    #if Migration
        @preconcurrency
    #endif
    public func bind<Input, Element>(
        to action: Action<Input, Element>, inputTransform: @escaping @Sendable (Control.Trigger) -> Input
    ) {
        guard let control else { return }
        let subscription = SingleAssignmentDisposable()
        // Dispose the previous binding before a trigger can reach the new action, so that no trigger reaches both.
        replace(with: Bound(action: action, subscription: subscription))
        subscription.setDisposable(control.follow(action, scheduler, inputTransform))
    }

    /// Replaces the current action: each trigger executes `action` with `input`.
    public func bind<Input, Element>(to action: Action<Input, Element>, input: Input) {
        bind(to: action, inputTransform: { _ in input })
    }

    /// Removes the action and disables the control.
    public func unbind() {
        replace(with: nil)
        control?.disable(on: scheduler)
    }

    private func replace(with next: Bound?) {
        let previous = bound.withLock { bound in
            defer { bound = next }
            return bound
        }
        previous?.subscription.dispose()
    }
}

extension ActionBinding where Control.Trigger == Void {
    /// The bound action; nil if there is none or it has another type. Setting nil unbinds.
    public var action: TriggerAction? {
        get { bound.withLock { $0?.action } as? TriggerAction }
        set { if let newValue { bind(to: newValue) } else { unbind() } }
    }
}
