public import Rx

/// A property of a control that can be observed and set.
#if Migration
    @preconcurrency
#endif
public protocol ControlPropertyType<Element>: ControlSequenceType, ObserverType {
    /// Returns the property as a `ControlProperty`.
    func asControlProperty() -> ControlProperty<Element>
}

/// The value of a control, such as the text of a field: a sequence of its values and an observer that sets it.
///
/// The sequence begins with the current value, continues with the values that the user enters, and never fails. Values
/// that are set through the observer are not part of it. It sends its events on the main thread until the control is
/// deallocated; then it completes. Whoever creates it guarantees this.
public struct ControlProperty<PropertyType: RxSendable>: ControlPropertyType, Sendable {
    /// The type of the values.
    public typealias Element = PropertyType

    let values: Observable<PropertyType>
    let valueSink: AnyObserver<PropertyType>

    /// Creates a control property. The values are subscribed to on the main thread.
    ///
    /// - Parameters:
    ///   - values: the current value and those that the user enters. Must not fail, and must send on the main thread.
    ///   - valueSink: sets the control's value.
    public init<Values: ObservableType, Sink: ObserverType>(values: Values, valueSink: Sink)
    where Values.Element == Element, Sink.Element == Element {
        self.values = values.subscribe(on: ConcurrentMainScheduler.instance)
        self.valueSink = valueSink.asObserver()
    }

    /// Subscribes an observer to the values. Disposing the result unsubscribes.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        values.subscribe(observer)
    }

    /// The values as an observable.
    public func asObservable() -> Observable<Element> { values }

    /// Returns this property.
    public func asControlProperty() -> ControlProperty<Element> { self }

    /// The values that the user enters, without the one at the time of the subscription.
    public var changed: ControlEvent<PropertyType> { ControlEvent(events: values.skip(1)) }

    /// Sets the value. An error is a programming error: it stops a debug build and is ignored in a release build.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next, .completed: valueSink.on(event)
        case .error(let error): assertionFailure("a sequence that is bound to a control property failed: \(error)")
        }
    }
}

extension ControlPropertyType where Element == String? {
    /// The property with an empty text in place of nil.
    public var orEmpty: ControlProperty<String> {
        let original = asControlProperty()
        return ControlProperty(
            values: original.values.map { $0 ?? "" }, valueSink: original.valueSink.mapObserver { $0 })
    }
}
