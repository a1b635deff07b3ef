public import Rx

/// Holds a state and tells its subscribers each one it is given, equal or not, the latest first. It does not end.
public final class StateRelay<Element: Sendable>: ObservableType {
    private let relay: BehaviorRelay<Element>

    public init(value: Element) {
        relay = BehaviorRelay(value: value)
    }

    /// The latest state; setting it is `accept(_:)`.
    public var value: Element {
        get { relay.value }
        set { relay.accept(newValue) }
    }

    public func accept(_ state: Element) { relay.accept(state) }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        relay.subscribe(observer)
    }

    /// The relay as an observable, which cannot be sent to.
    public func asObservable() -> Observable<Element> { relay.asObservable() }
}
