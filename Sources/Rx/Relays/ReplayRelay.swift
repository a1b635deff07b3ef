/// Hands what it accepts to its subscribers, and the latest of that to new ones first. It does not end.
///
/// `accept` may be called from several threads, and from within a delivery: elements are delivered one at a time, in one
/// order, and one accepted from within a delivery comes after it.
///
/// ```
/// accept                 --1--2--3--4--
/// subscriber, buffer 2             ^4--
///                                 2 3
/// ```
public final class ReplayRelay<Element: Sendable>: ObservableType {
    private let subject: ReplaySubject<Element>

    private init(_ subject: ReplaySubject<Element>) {
        self.subject = subject
    }

    /// Replays at most the latest `bufferSize` elements.
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(.create(bufferSize: bufferSize))
    }

    /// Replays every element: grows with each.
    public static func createUnbound() -> ReplayRelay<Element> {
        ReplayRelay(.createUnbounded())
    }

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
