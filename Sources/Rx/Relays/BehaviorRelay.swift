/// Emits its current value to each new subscriber, then every element that it accepts. Grammar: `next+`; it never ends.
///
/// Thread-safe; `accept` may be called during a delivery. Elements are delivered one at a time in one order; an element
/// accepted during a delivery follows it.
///
/// ```
/// accept        --1------2--3--
/// BehaviorRelay(value: 0)
///   subscriber      (^1)-2--3--
/// ```
public final class BehaviorRelay<Element: RxSendable>: ObservableType, Sendable {
    private let subject: BehaviorSubject<Element>

    /// Creates a relay with an initial value.
    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// The last accepted element, or the initial value.
    public var value: Element {
        // A subject throws after its end or disposal; neither occurs here.
        try! subject.value()
    }

    /// Makes `event` the value and emits it to the subscribers.
    public func accept(_ event: Element) { subject.onNext(event) }

    /// Emits the current value to `observer`, then every accepted element, until the result is disposed.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    /// The relay as an observable that accepts no elements.
    public func asObservable() -> Observable<Element> { subject }

    /// The relay as a sequence that never fails and accepts no elements.
    public func asInfallible() -> Infallible<Element> { Infallible(subject) }
}
