/// A sequence that does not fail: `next* completed?`.
///
/// Its operators take closures that do not throw, so the compiler keeps most of that promise. What it cannot check are
/// sequences of another kind handed to `flatMap` and its like: give those only what does not fail.
public protocol InfallibleType<Element>: ObservableConvertibleType {}

/// The type that operators on sequences that do not fail return.
public struct Infallible<Element: Sendable>: InfallibleType {
    @usableFromInline let source: Observable<Element>

    /// `source` does not fail.
    @usableFromInline
    init(_ source: Observable<Element>) {
        self.source = source
    }

    @inlinable public func asObservable() -> Observable<Element> { source }
}

/// One event of a sequence that does not fail.
@frozen
public enum InfallibleEvent<Element: Sendable>: Sendable {
    case next(Element)
    /// The sequence ended; nothing follows.
    case completed
}

extension InfallibleEvent: EventConvertible {
    public var event: Event<Element> {
        switch self {
        case .next(let element): .next(element)
        case .completed: .completed
        }
    }
}

extension Infallible {
    public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

    /// A sequence made by a closure, which is run anew for each subscriber and returns what stops its work.
    ///
    /// The closure may misbehave: what it sends after its end, or after disposal, is dropped.
    public static func create(
        subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
    ) -> Infallible<Element> {
        Infallible(.create { observer in subscribe { observer.on($0.event) } })
    }
}

extension InfallibleType {
    /// Subscribes an observer.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(observer)
    }

    /// Subscribes a closure that receives every event.
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        asObservable().subscribe(on)
    }

    /// Subscribes a closure for each kind of event.
    ///
    /// - Parameter onDisposed: called once, after the sequence ended or when the subscription is disposed.
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// As `subscribe(onNext:onCompleted:onDisposed:)`, for an object that is held weakly and handed to the closures.
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }
}
