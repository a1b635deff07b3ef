/// A terminal made from closures, for a subscriber that ignores the elements.
class EndObserver<Element: RxSendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let onError: @Sendable (any Error) -> Void
    private let onCompleted: (@Sendable () -> Void)?

    init(
        _ subscription: SubscriptionDisposable, onError: @escaping @Sendable (any Error) -> Void,
        onCompleted: (@Sendable () -> Void)?
    ) {
        self.onError = onError
        self.onCompleted = onCompleted
        super.init(subscription)
    }

    override func next(_ element: Element) {}
    final override func failed(_ error: any Error) { onError(error) }
    final override func finished() { onCompleted?() }
}

/// A terminal made from closures.
final class AnonymousObserver<Element: RxSendable>: EndObserver<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let onNext: @Sendable (Element) -> Void

    init(
        _ subscription: SubscriptionDisposable, onNext: @escaping @Sendable (Element) -> Void,
        onError: @escaping @Sendable (any Error) -> Void, onCompleted: (@Sendable () -> Void)?
    ) {
        self.onNext = onNext
        super.init(subscription, onError: onError, onCompleted: onCompleted)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        onNext(element)
    }
}

/// A terminal made from one closure for all events.
final class EventSink<Element: RxSendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let handler: @Sendable (Event<Element>) -> Void

    init(_ handler: @escaping @Sendable (Event<Element>) -> Void) {
        self.handler = handler
        super.init(SubscriptionDisposable())
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        handler(.next(element))
    }

    override func failed(_ error: any Error) { handler(.error(error)) }
    override func finished() { handler(.completed) }
}

/// A terminal made from an observer.
final class ObserverSink<Observer: ObserverType>: Terminal<Observer.Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let observer: Observer

    init(_ observer: Observer) {
        self.observer = observer
        super.init(SubscriptionDisposable())
    }

    override func next(_ element: Observer.Element) {
        guard isOpen else { return }
        observer.onNext(element)
    }

    override func failed(_ error: any Error) { observer.onError(error) }
    override func finished() { observer.onCompleted() }
}
