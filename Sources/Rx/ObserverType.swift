/// A receiver of events.
///
/// Clients may conform to it by implementing `on(_:)`. The library calls the three specific methods; override them to
/// avoid creating an `Event`.
#if Migration
    @preconcurrency
#endif
public protocol ObserverType<Element>: RxSendable {
    /// The element of the received sequence.
    associatedtype Element: RxSendable

    /// Receives an event.
    func on(_ event: Event<Element>)

    /// Receives an element.
    func onNext(_ element: Element)
    /// Receives an error, which ends the sequence.
    func onError(_ error: any Error)
    /// Receives completion, which ends the sequence.
    func onCompleted()
}

extension ObserverType {
    /// Receives an element.
    @inlinable public func onNext(_ element: Element) { on(.next(element)) }
    /// Receives an error, which ends the sequence.
    @inlinable public func onError(_ error: any Error) { on(.error(error)) }
    /// Receives completion, which ends the sequence.
    @inlinable public func onCompleted() { on(.completed) }

    /// The observer behind one type.
    @inlinable public func asObserver() -> AnyObserver<Element> { AnyObserver(self) }

    /// Returns an observer of another element type that passes on the results of `transform`. An error that `transform`
    /// throws is passed on as the end.
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func mapObserver<Result: RxSendable>(
        _ transform: @escaping @Sendable (Result) throws -> Element
    ) -> AnyObserver<Result> {
        AnyObserver { event in self.on(event.map(transform)) }
    }
}
