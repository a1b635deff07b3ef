/// Hands what it accepts to its subscribers, and its current value to new ones first. It does not end.
///
/// `accept` may be called from several threads, and from within a delivery: elements are delivered one at a time, in one
/// order, and one accepted from within a delivery comes after it.
///
/// ```
/// accept      (0)-1--2--3---
/// subscriber        ^2--3---
///                   1
/// ```
public final class BehaviorRelay<Element: Sendable>: ObservableType {
    private let subject: BehaviorSubject<Element>

    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// The latest element accepted, or the initial one.
    public var value: Element {
        // A subject throws once it ended or was disposed; this one does neither.
        try! subject.value()
    }

    /// Makes `event` the value and hands it to the subscribers.
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
