/// Something that receives events.
///
/// Implementable by clients: `on(_:)` is enough. The three split methods are what the library calls; a type that
/// can be fast without an `Event` overrides them.
public protocol ObserverType<Element>: Sendable {
    associatedtype Element: Sendable

    func on(_ event: Event<Element>)

    func onNext(_ element: Element)
    func onError(_ error: any Error)
    func onCompleted()
}

extension ObserverType {
    @inlinable public func onNext(_ element: Element) { on(.next(element)) }
    @inlinable public func onError(_ error: any Error) { on(.error(error)) }
    @inlinable public func onCompleted() { on(.completed) }

    @inlinable public func asObserver() -> AnyObserver<Element> { AnyObserver(self) }

    /// An observer of another element type that hands on what `transform` makes; what it throws is handed on as an error.
    @inlinable
    public func mapObserver<Result: Sendable>(
        _ transform: @escaping @Sendable (Result) throws -> Element
    ) -> AnyObserver<Result> {
        AnyObserver { event in self.on(event.map(transform)) }
    }
}
