/// Emits its latest elements to each new subscriber, then every element that it accepts. Grammar: `next*`; it never
/// ends.
///
/// Thread-safe; `accept` may be called during a delivery. Elements are delivered one at a time in one order; an element
/// accepted during a delivery follows it.
///
/// ```
/// accept        --1-2-3--------4--
/// ReplayRelay.create(bufferSize: 2)
///   subscriber         (^2 3)--4--
/// ```
public final class ReplayRelay<Element: RxSendable>: ObservableType, Sendable {
    private let subject: ReplaySubject<Element>

    private init(_ subject: ReplaySubject<Element>) {
        self.subject = subject
    }

    /// Creates a relay that replays at most the latest `bufferSize` elements.
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(.create(bufferSize: bufferSize))
    }

    /// Creates a relay that replays every element; its memory grows with each.
    public static func createUnbound() -> ReplayRelay<Element> {
        ReplayRelay(.createUnbounded())
    }

    /// Emits `event`, an element, to the subscribers and stores it for later ones.
    public func accept(_ event: Element) { subject.onNext(event) }

    /// Emits the stored elements to `observer`, then every accepted one, until the result is disposed.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    /// The relay as an observable that accepts no elements.
    public func asObservable() -> Observable<Element> { subject }

    /// The relay as a sequence that never fails and accepts no elements.
    public func asInfallible() -> Infallible<Element> { Infallible(subject) }
}
