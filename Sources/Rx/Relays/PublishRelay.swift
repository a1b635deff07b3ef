/// Hands what it accepts to its subscribers of that moment. It does not end.
///
/// `accept` may be called from several threads, and from within a delivery: elements are delivered one at a time, in one
/// order, and one accepted from within a delivery comes after it.
///
/// ```
/// accept      --1--2--3---
/// subscriber     ^-2--3---
/// ```
public final class PublishRelay<Element: Sendable>: ObservableType {
    private let subject = PublishSubject<Element>()

    public init() {}

    /// Hands `event`, an element, to the subscribers.
    public func accept(_ event: Element) { subject.onNext(event) }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    /// The relay as an observable, which cannot be sent to.
    public func asObservable() -> Observable<Element> { subject }

    /// The relay as a sequence that does not fail, and cannot be sent to.
    public func asInfallible() -> Infallible<Element> { Infallible(subject) }
}
