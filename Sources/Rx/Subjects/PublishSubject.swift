/// Emits every event that it receives to its current subscribers. Grammar: `next* (completed | error)?`.
///
/// Thread-safe; `on` may be called during a delivery. Events are delivered one at a time in one order.
public final class PublishSubject<Element: RxSendable>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    /// The type of the observer.
    public typealias SubjectObserverType = PublishSubject<Element>

    private let broadcast = TypedBroadcast<Element>()

    public override init() { super.init() }

    deinit { broadcast.abandon() }

    /// Whether it has subscribers.
    public var hasObservers: Bool { broadcast.hasObservers }

    /// Emits an event to the subscribers; ignored after the end.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): broadcast.next(element)
        case .error, .completed: broadcast.stop(event)
        }
    }

    /// Emits `element` to the subscribers; ignored after the end.
    public func onNext(_ element: Element) { broadcast.next(element) }
    /// Ends the subject with `error`.
    public func onError(_ error: any Error) { broadcast.stop(.error(error)) }
    /// Completes the subject.
    public func onCompleted() { broadcast.stop(.completed) }

    /// Returns this subject.
    public func asObserver() -> PublishSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.join(stage) }

    /// Whether it has been disposed.
    public var isDisposed: Bool { broadcast.isDisposed }

    /// Releases the subscribers without an event. Later subscribers get `RxError.disposed`.
    public func dispose() { broadcast.dispose(self) }
}
