/// Hands what it receives to its subscribers of that moment.
///
/// `on` may be called from several threads, and from within a delivery: events are delivered one at a time, in one order.
public final class PublishSubject<Element: Sendable>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    public typealias SubjectObserverType = PublishSubject<Element>

    private let broadcast = TypedBroadcast<Element>()

    public override init() { super.init() }

    deinit { broadcast.abandon() }

    /// Whether anyone is subscribed.
    public var hasObservers: Bool { broadcast.hasObservers }

    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): broadcast.next(element)
        case .error, .completed: broadcast.stop(event)
        }
    }

    public func onNext(_ element: Element) { broadcast.next(element) }
    public func onError(_ error: any Error) { broadcast.stop(.error(error)) }
    public func onCompleted() { broadcast.stop(.completed) }

    public func asObserver() -> PublishSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.join(stage) }

    public var isDisposed: Bool { broadcast.isDisposed }

    /// Lets go of the subscribers, without an event; later ones get `RxError.disposed`.
    public func dispose() { broadcast.dispose(self) }
}
