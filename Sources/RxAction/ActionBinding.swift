public import Rx

/// The one action that a control has at a time: binding another takes the place of the one before, and unbound the control
/// is disabled. For what is written `button.rx.action = action` and `= nil` elsewhere:
///
///     extension Reactive where Base: Button {
///         var action: TriggerAction? {
///             get { base.binding.action }
///             nonmutating set { base.binding.action = newValue }
///         }
///     }
///
/// A property of the control, which it holds weakly. Dropping it ends the binding.
public final class ActionBinding<Control: ActionControl>: Sendable {
    private struct Bound {
        let action: any AnyObject & Sendable
        let subscription: any Disposable
    }

    private weak let control: Control?
    private let scheduler: any ImmediateSchedulerType & Sendable
    private let bound = Locked<Bound?>(nil)

    /// - Parameter scheduler: where the control's `setEnabled` is called; a serial one.
    public init(_ control: Control, scheduler: any ImmediateSchedulerType & Sendable = MainScheduler.instance) {
        self.control = control
        self.scheduler = scheduler
    }

    deinit { bound.withLock { $0 }?.subscription.dispose() }

    public func bind<Element>(to action: Action<Control.Trigger, Element>) {
        bind(to: action, inputTransform: { $0 })
    }

    public func bind<Input, Element>(
        to action: Action<Input, Element>, inputTransform: @escaping @Sendable (Control.Trigger) -> Input
    ) {
        guard let control else { return }
        let subscription = SingleAssignmentDisposable()
        // The one before is gone before a trigger can reach the new one: none reaches both.
        replace(with: Bound(action: action, subscription: subscription))
        subscription.setDisposable(control.follow(action, scheduler, inputTransform))
    }

    public func bind<Input, Element>(to action: Action<Input, Element>, input: Input) {
        bind(to: action, inputTransform: { _ in input })
    }

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
    /// The action that the control is bound to; nil: none, or one of another type.
    public var action: TriggerAction? {
        get { bound.withLock { $0?.action } as? TriggerAction }
        set { if let newValue { bind(to: newValue) } else { unbind() } }
    }
}
