/// The lower end of a subscription: what `subscribe` returns.
///
/// It tells the bag that keeps it when it is over, so that a bag holds live subscriptions only.
class Terminal<Element: Sendable>: Sink<Element>, Keepable, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let bag = BagSlot()

    override init() { super.init() }

    final func keep(in bag: BagMembers) -> Bool { self.bag.set(bag) }

    // The observer is told first, then what is above is released: this is where the end of a sequence turns back up.
    final override func release() {
        guard let upstream = slot.close() else { return }
        closed()
        upstream?.settle()
    }

    override func closed() {
        bag.close()?.leave(self)
    }
}

/// The end made of closures.
final class AnonymousObserver<Element: Sendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    let onNext: (@Sendable (Element) -> Void)?
    let onError: (@Sendable (any Error) -> Void)?
    let onCompleted: (@Sendable () -> Void)?
    let onDisposed: (@Sendable () -> Void)?

    init(
        onNext: (@Sendable (Element) -> Void)?,
        onError: (@Sendable (any Error) -> Void)?,
        onCompleted: (@Sendable () -> Void)?,
        onDisposed: (@Sendable () -> Void)?
    ) {
        self.onNext = onNext
        self.onError = onError
        self.onCompleted = onCompleted
        self.onDisposed = onDisposed
        super.init()
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        onNext?(element)
    }

    override func failed(_ error: any Error) { onError?(error) }
    override func finished() { onCompleted?() }

    override func closed() {
        onDisposed?()
        super.closed()
    }
}

/// The end made of one closure for all events.
final class EventSink<Element: Sendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    let handler: @Sendable (Event<Element>) -> Void

    init(_ handler: @escaping @Sendable (Event<Element>) -> Void) {
        self.handler = handler
        super.init()
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        handler(.next(element))
    }

    override func failed(_ error: any Error) { handler(.error(error)) }
    override func finished() { handler(.completed) }
}

/// The end made of an observer.
final class ObserverSink<Observer: ObserverType>: Terminal<Observer.Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    let observer: Observer

    init(_ observer: Observer) {
        self.observer = observer
        super.init()
    }

    override func next(_ element: Observer.Element) {
        guard isOpen else { return }
        observer.onNext(element)
    }

    override func failed(_ error: any Error) { observer.onError(error) }
    override func finished() { observer.onCompleted() }
}
