/// A sequence that never fails: `next* completed?`.
///
/// Its operators take closures that do not throw, so the compiler enforces most of this. It cannot check sequences of
/// other types that are passed to `flatMap` and similar operators; these must not fail.
#if Migration
    @preconcurrency
#endif
public protocol InfallibleType<Element>: ObservableConvertibleType {}

/// The result of operators on sequences that never fail.
public struct Infallible<Element: RxSendable>: InfallibleType, Sendable {
    @usableFromInline let source: Observable<Element>

    /// `source` must not fail.
    @usableFromInline
    init(_ source: Observable<Element>) {
        self.source = source
    }

    /// The sequence as an observable.
    @inlinable public func asObservable() -> Observable<Element> { source }
}

/// An event of a sequence that never fails.
@frozen
public enum InfallibleEvent<Element: RxSendable>: Sendable {
    /// The next element.
    case next(Element)
    /// The sequence completed; nothing follows.
    case completed
}

extension InfallibleEvent: EventConvertible {
    /// The event as an event of an observable.
    public var event: Event<Element> {
        switch self {
        case .next(let element): .next(element)
        case .completed: .completed
        }
    }
}

extension Infallible {
    /// Receives the events of a sequence that never fails.
    public typealias InfallibleObserver = RxSendableClosure<InfallibleEvent<Element>, Void>

    /// A sequence whose closure runs for each subscriber and returns a disposable that stops its work.
    ///
    /// Events that the closure sends after completion or disposal are dropped.
    ///
    /// ```
    /// create { $0(.next(1)); $0(.completed); … }  (1|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func create(
        subscribe: @escaping @Sendable (@escaping @Sendable (InfallibleEvent<Element>) -> Void) -> any Disposable
    ) -> Infallible<Element> {
        Infallible(.create { observer in subscribe { observer.on($0.event) } })
    }
}

extension InfallibleType {
    /// Subscribes an observer. Disposing the result unsubscribes.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(observer)
    }

    /// Subscribes a closure for every event. Disposing the result unsubscribes.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        asObservable().subscribe(on)
    }

    /// Subscribes a closure for each kind of event. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onNext: called with each element.
    ///   - onCompleted: called at the completion.
    ///   - onDisposed: called once, after the sequence ends or when the subscription is disposed.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes closures that get `object`, held weakly. Nothing is called once it is deallocated. Disposing the
    /// result unsubscribes.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe<Object: AnyObject & RxSendable>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
    }
}
