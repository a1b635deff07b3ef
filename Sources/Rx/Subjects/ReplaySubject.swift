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
    // Unchecked: what is kept is guarded by the lock.
    private let capacity: Int
    /// A ring. Plain memory, since in generic code that is not specialised an array costs several times more.
    @exclusivity(unchecked) private var memory = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    @exclusivity(unchecked) private var room = 1
    @exclusivity(unchecked) private var count = 0
    /// Where the oldest element is, once there are as many as may be kept.
    @exclusivity(unchecked) private var oldest = 0

    init(capacity: Int) {
        precondition(capacity >= 0, "a buffer size is not negative")
        self.capacity = capacity
    }

    deinit {
        memory.deinitialize(count: count)
        memory.deallocate()
    }

    func nextKept(_ element: Element) {
        guard lockWhenActive() else { return }
        if count < capacity {
            append(element)
            return unlockAndNext(element)
        }
        if capacity == 0 { return unlockAndNext(element) }
        let place = memory + oldest
        let dropped = place.move()
        place.initialize(to: element)
        oldest = oldest + 1 == capacity ? 0 : oldest + 1
        unlockAndNext(element)
        // Not released with the lock held.
        withExtendedLifetime(dropped) {}
    }

    private func append(_ element: Element) {
        if count == room {
            room *= 2
            let larger = UnsafeMutablePointer<Element>.allocate(capacity: room)
            larger.moveInitialize(from: memory, count: count)
            memory.deallocate()
            memory = larger
        }
        (memory + count).initialize(to: element)
        count += 1
    }

    /// The elements kept come first, also after the end, but not after the disposal.
    func joinWithReplay(_ stage: Stage<Element>) {
        let member = Member(self)
        stage.attach(member)
        let isActive = lockWhenActive()
        if isActive { addReplaying(member) } else { lock.lock() }
        var kept: [Element] = []
        if count > 0, !isDisposedNow {
            kept.reserveCapacity(count)
            for index in oldest..<count { kept.append(memory[index]) }
            for index in 0..<oldest { kept.append(memory[index]) }
        }
        lock.unlock()
        for element in kept where !member.isGone { stage.next(element) }
        if isActive { goLive(member, stage) } else { tellEnd(stage, member) }
    }
}
