/// The trait of a `Completable`.
public enum CompletableTrait {}

/// A sequence that completes or fails without an element: work whose only result is its completion.
///
/// ```
/// done     --------|
/// failure  --------#
/// ```
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// The end of a `Completable`.
@frozen
public enum CompletableEvent: Sendable {
    /// It failed with this error.
    case error(any Error)
    /// It completed.
    case completed
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Receives the event of a `Completable`.
    public typealias CompletableObserver = RxSendableClosure<CompletableEvent, Void>

    /// A completable whose closure runs for each subscriber and returns a disposable that stops its work.
    ///
    /// Only the first event that the closure sends, from any thread, counts; the others are dropped.
    ///
    /// ```
    /// create { $0(.completed); … }  |
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func create(
        subscribe: @escaping @Sendable (@escaping @Sendable (CompletableEvent) -> Void) -> any Disposable
    ) -> Completable {
        Completable(
            raw: .create { observer in
                let only = FirstOnly()
                return subscribe { event in
                    guard only.pass() else { return }
                    switch event {
                    case .error(let error): observer.onError(error)
                    case .completed: observer.onCompleted()
                    }
                }
            })
    }

    /// Subscribes a closure for the event. Disposing the result unsubscribes.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe(_ observer: @escaping @Sendable (CompletableEvent) -> Void) -> any Disposable {
        subscribe(onCompleted: { observer(.completed) }, onError: { observer(.error($0)) })
    }

    /// Subscribes a closure for each kind of event. Disposing the result unsubscribes.
    ///
    /// - Parameters:
    ///   - onCompleted: called at the completion.
    ///   - onError: if nil, an error goes to `Hooks.defaultErrorHandler`.
    ///   - onDisposed: called once, right after the event or when the subscription is disposed.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        // Not `??`, which is generic and would wrap the closure twice.
        let onError = if let onError { onError } else { Hooks.unhandledError() }
        let terminal = CompletableTerminal(onCompleted: onCompleted, onError: onError, onDisposed: onDisposed)
        return primitiveSequence.source.subscribe(terminal)
    }

    /// Subscribes closures that get `object`, held weakly. Nothing is called once it is deallocated. Disposing the
    /// result unsubscribes.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func subscribe<Object: AnyObject & RxSendable>(
        with object: Object,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        var handler: (@Sendable (any Error) -> Void)?
        if let onError {
            handler = { [weak object] error in
                guard let object else { return }
                onError(object, error)
            }
        }
        return subscribe(
            onCompleted: { [weak object] in
                guard let object else { return }
                onCompleted?(object)
            },
            onError: handler,
            onDisposed: { [weak object] in
                guard let object else { return }
                onDisposed?(object)
            }
        )
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Fails at once.
    ///
    /// ```
    /// error(failure)  #
    /// ```
    public static func error(_ error: any Error) -> Completable { Completable(raw: .error(error)) }

    /// Emits no event and never ends.
    ///
    /// ```
    /// never()  ----
    /// ```
    public static func never() -> Completable { Completable(raw: .never()) }

    /// Completes at once.
    ///
    /// ```
    /// empty()  |
    /// ```
    public static func empty() -> Completable { Completable(raw: .empty()) }
}

private final class CompletableTerminal: Terminal<Never>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let onCompleted: (@Sendable () -> Void)?
    private let onError: @Sendable (any Error) -> Void

    init(
        onCompleted: (@Sendable () -> Void)?,
        onError: @escaping @Sendable (any Error) -> Void,
        onDisposed: (@Sendable () -> Void)?
    ) {
        self.onCompleted = onCompleted
        self.onError = onError
        super.init(TraitSubscription(onDisposed: onDisposed))
    }

    override func next(_ element: Never) {}

    override func failed(_ error: any Error) {
        onError(error)
        subscription.callOnDisposed()
    }

    override func finished() {
        onCompleted?()
        subscription.callOnDisposed()
    }
}
