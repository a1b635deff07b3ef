/// Hands on its last element, once it has completed; to late subscribers too. An error is handed on alone.
public final class AsyncSubject<Element: Sendable>: Observable<Element>, SubjectType, ObserverType, @unchecked Sendable
{
    // Unchecked: see `Observable`.
    public typealias SubjectObserverType = AsyncSubject<Element>

    private let broadcast = LastBroadcast<Element>()

    public override init() { super.init() }

    /// Whether anyone is subscribed.
    public var hasObservers: Bool { broadcast.hasObservers }

    public func on(_ event: Event<Element>) { broadcast.on(event) }
    public func onNext(_ element: Element) { broadcast.next(element) }
    public func onError(_ error: any Error) { broadcast.stop(.error(error)) }
    public func onCompleted() { broadcast.stop(.completed) }

    public func asObserver() -> AsyncSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.join(stage) }
}

private final class LastBroadcast<Element: Sendable>: TypedBroadcast<Element>, @unchecked Sendable {
    // Unchecked: what changes is guarded by the lock.
    private var element: Element?
    private var isCompleted = false

    override var keeps: Bool { true }
    override var deliversElements: Bool { false }

    override func keep(_ element: Element, released: inout Element?) {
        released = self.element
        self.element = element
    }

    override func lastElement() -> Element? {
        isCompleted = true
        return element
    }

    override func replayed(afterEnd: Bool) -> [Element] {
        guard isCompleted, let element else { return [] }
        return [element]
    }
}
