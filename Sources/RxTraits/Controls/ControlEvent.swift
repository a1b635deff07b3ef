public import Rx

/// A sequence of events of a control.
#if Migration
    @preconcurrency
#endif
public protocol ControlEventType<Element>: ControlSequenceType {
    /// Returns the sequence as a `ControlEvent`.
    func asControlEvent() -> ControlEvent<Element>
}

/// The events of a control, such as the taps of a button.
///
/// It never fails, sends no element on subscription, and sends its events on the main thread until the control is
/// deallocated; then it completes. Whoever creates it guarantees this.
///
///     extension Reactive where Base: Button {
///         var tap: ControlEvent<Void> { ControlEvent(events: base.clicks) }
///     }
public struct ControlEvent<PropertyType: RxSendable>: ControlEventType, Sendable {
    /// The type of the events.
    public typealias Element = PropertyType

    let events: Observable<PropertyType>

    /// Creates a control event. The source is subscribed to on the main thread.
    ///
    /// - Parameter events: must not fail, and must send on the main thread.
    public init<Events: ObservableType>(events: Events) where Events.Element == Element {
        self.events = events.subscribe(on: ConcurrentMainScheduler.instance)
    }

    /// Subscribes an observer. Disposing the result unsubscribes.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        events.subscribe(observer)
    }

    /// The events as an observable.
    public func asObservable() -> Observable<Element> { events }

    /// Returns this control event.
    public func asControlEvent() -> ControlEvent<Element> { self }
}
