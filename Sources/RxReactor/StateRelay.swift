public import Rx

/// Holds a state. Emits the latest one on subscription, then each one it accepts, equal or not. Grammar: `next+`; it
/// never ends.
public final class StateRelay<Element: RxSendable>: ObservableType, Sendable {
    private let relay: BehaviorRelay<Element>

    /// Creates a relay that holds `value`.
    public init(value: Element) {
        relay = BehaviorRelay(value: value)
    }

    /// The latest state. Setting it is equivalent to `accept(_:)`.
    public var value: Element {
        get { relay.value }
        set { relay.accept(newValue) }
    }

    /// Holds `state` and emits it to all subscribers.
    public func accept(_ state: Element) { relay.accept(state) }

    /// Emits the latest state, then each accepted one, to `observer`.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        relay.subscribe(observer)
    }

    /// The relay as an observable that cannot accept states.
    public func asObservable() -> Observable<Element> { relay.asObservable() }
}
