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

    deinit { broadcast.abandon() }

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

    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): broadcast.nextKept(element)
        case .error, .completed: broadcast.stop(event)
        }
    }

    public func onNext(_ element: Element) { broadcast.nextKept(element) }
    public func onError(_ error: any Error) { broadcast.stop(.error(error)) }
    public func onCompleted() { broadcast.stop(.completed) }

    public func asObserver() -> ReplaySubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.joinWithReplay(stage) }

    public var isDisposed: Bool { broadcast.isDisposed }

    /// Lets go of the subscribers, without an event; later ones get `RxError.disposed`.
    public func dispose() { broadcast.dispose(self) }
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

    func nextKept(_ element: Element) {
        guard lockWhenActive() else { return }
        let dropped = keep(element)
        unlockAndNext(element)
        // Not released with the lock held.
        withExtendedLifetime(dropped) {}
    }

    /// Returns what is no longer kept.
    private func keep(_ element: Element) -> Element? {
        if capacity == 0 { return nil }
        if ring.count < capacity {
            ring.append(element)
            return nil
        }
        let dropped = ring[oldest]
        ring[oldest] = element
        oldest = (oldest + 1) % capacity
        return dropped
    }

    /// The elements kept come first, also after the end, but not after the disposal.
    func joinWithReplay(_ stage: Stage<Element>) {
        let member = Member(self)
        stage.attach(member)
        let isActive = lockWhenActive()
        if isActive { addReplaying(member) } else { lock.lock() }
        let kept = isDisposedNow ? [] : oldest == 0 ? ring : Array(ring[oldest...] + ring[..<oldest])
        lock.unlock()
        for element in kept where !member.isGone { stage.next(element) }
        if isActive { goLive(member, stage) } else { tellEnd(stage, member) }
    }
}
