public import Rx

/// Anything that ticks, with at most one action that each tick executes. Binding another action replaces the current
/// one; setting `action` to nil unbinds it.
///
/// A tick that the action would refuse is ignored, as a disabled button ignores clicks: while the action executes,
/// unless its `overlap` permits more, and while its condition is false. Nothing of it appears in the action's `errors`.
///
///     let save = ActionTrigger(button.rx.tap)
///     save.action = TriggerAction { store.save() }
///     save.enabled.bind(to: button.rx.isEnabled)
///     save.action = nil
///
/// Releasing the trigger unbinds the action. The end of the ticks, by completion or error, is ignored. For a control
/// that an action enables and disables, see `ActionControl` and `ActionBinding`.
public final class ActionTrigger: Sendable {
    private struct Bound: Sendable {
        let action: any AnyObject & Sendable
        let enabled: Observable<Bool>
        let tick: @Sendable () -> Void
    }

    // All subscriptions follow this relay, so that bindings from several threads take effect in one order.
    private let bound = BehaviorRelay<Bound?>(value: nil)
    private let executions: any Disposable

    /// Creates a trigger without an action.
    ///
    /// - Parameter ticks: subscribed to while an action is bound.
    public init<Ticks: ObservableConvertibleType>(_ ticks: Ticks) where Ticks.Element == Void {
        let ticks = ticks.asObservable().catch { _ in .empty() }
        executions =
            bound
            .flatMapLatest { bound in bound.map { bound in ticks.map { bound.tick } } ?? .empty() }
            .subscribe(onNext: { tick in tick() })
    }

    deinit {
        unbind()
        executions.dispose()
    }

    /// Whether a tick would execute: false without an action. Emits the current value on subscription, then each
    /// change. Never fails.
    public var enabled: Observable<Bool> {
        bound.flatMapLatest { $0?.enabled ?? .just(false) }.distinctUntilChanged()
    }

    /// The bound action; nil if there is none or it has another type. Setting nil unbinds.
    public var action: TriggerAction? {
        get { bound.value?.action as? TriggerAction }
        set { if let newValue { bind(to: newValue) } else { unbind() } }
    }

    /// Replaces the current action: each tick executes `action`. The trigger retains the action.
    public func bind<Element>(to action: Action<Void, Element>) { bind(to: action, inputTransform: {}) }

    /// Replaces the current action: each tick executes `action` with the result of `inputTransform`. The trigger
    /// retains the action.
    #if Migration
        @preconcurrency
    #endif
    public func bind<Input, Element>(
        to action: Action<Input, Element>, inputTransform: @escaping @Sendable () -> Input
    ) {
        bound.accept(
            Bound(action: action, enabled: action.enabled) { if action.isEnabled { action.start(inputTransform()) } })
    }

    /// Replaces the current action: each tick executes `action` with `input`. The trigger retains the action.
    public func bind<Input, Element>(to action: Action<Input, Element>, input: Input) {
        bind(to: action, inputTransform: { input })
    }

    /// Removes the action; ticks do nothing.
    public func unbind() { bound.accept(nil) }
}
