/// Hands what it receives to its subscribers, and the latest of that to new ones first, also after the end.
///
/// `on` may be called from several threads, and from within a delivery: events are delivered one at a time, in one order.
public final class ReplaySubject<Element: Sendable>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    public typealias SubjectObserverType = ReplaySubject<Element>

    private let broadcast: ReplayBroadcast<Element>

    private init(capacity: Int) {
        broadcast = ReplayBroadcast(capacity: capacity)
        super.init()
    }

    /// Replays at most the latest `bufferSize` elements.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        ReplaySubject(capacity: bufferSize)
    }

    /// Replays every element: grows with each.
    public static func createUnbounded() -> ReplaySubject<Element> {
        ReplaySubject(capacity: .max)
    }

    /// Whether anyone is subscribed.
    public var hasObservers: Bool { broadcast.hasObservers }

    public func on(_ event: Event<Element>) { broadcast.on(event) }
    public func onNext(_ element: Element) { broadcast.next(element) }
    public func onError(_ error: any Error) { broadcast.stop(.error(error)) }
    public func onCompleted() { broadcast.stop(.completed) }

    public func asObserver() -> ReplaySubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.join(stage) }

    public var isDisposed: Bool { broadcast.isDisposed }

    /// Lets go of the subscribers, without an event; later ones get `RxError.disposed`.
    public func dispose() { broadcast.dispose(RxError.disposed(object: "ReplaySubject")) }
}

private final class ReplayBroadcast<Element: Sendable>: TypedBroadcast<Element>, @unchecked Sendable {
    // Unchecked: the ring is guarded by the lock.
    private let capacity: Int
    @exclusivity(unchecked) private var ring: [Element] = []
    /// Where the oldest element is, once the ring is full.
    @exclusivity(unchecked) private var oldest = 0

    init(capacity: Int) {
        precondition(capacity >= 0, "a buffer size is not negative")
        self.capacity = capacity
    }

    override var keeps: Bool { true }

    override func keep(_ element: Element, released: inout Element?) {
        if capacity == 0 { return }
        if ring.count < capacity { return ring.append(element) }
        released = ring[oldest]
        ring[oldest] = element
        oldest = (oldest + 1) % capacity
    }

    override func replayed(afterEnd: Bool) -> [Element] {
        oldest == 0 ? ring : Array(ring[oldest...] + ring[..<oldest])
    }
}
