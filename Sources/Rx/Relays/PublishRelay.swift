/// Emits every element that it accepts to its current subscribers. Grammar: `next*`; it never ends.
///
/// Thread-safe; `accept` may be called during a delivery. Elements are delivered one at a time in one order; an element
/// accepted during a delivery follows it.
///
/// ```
/// accept        --1--2--3--
/// PublishRelay()
///   subscriber     ^-2--3--
/// ```
public final class PublishRelay<Element: RxSendable>: ObservableType, Sendable {
    private let subject = PublishSubject<Element>()

    /// Creates a relay without subscribers.
    public init() {}

    /// Emits `event`, an element, to the subscribers.
    public func accept(_ event: Element) { subject.onNext(event) }

    /// Emits accepted elements to `observer` until the result is disposed.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    /// The relay as an observable that accepts no elements.
    public func asObservable() -> Observable<Element> { subject }

    /// The relay as a sequence that never fails and accepts no elements.
    public func asInfallible() -> Infallible<Element> { Infallible(subject) }
}
