/// Emits its latest elements to each new subscriber, then every event that it receives; after the end, the latest
/// elements and the end. Grammar: `next* (completed | error)?`.
///
/// Thread-safe; `on` may be called during a delivery. Events are delivered one at a time in one order.
public final class ReplaySubject<Element: RxSendable>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    /// The type of the observer.
    public typealias SubjectObserverType = ReplaySubject<Element>

    private let broadcast: ReplayBroadcast<Element>

    private init(capacity: Int) {
        broadcast = ReplayBroadcast(capacity: capacity)
        super.init()
    }

    deinit { broadcast.abandon() }

    /// Creates a subject that replays at most the latest `bufferSize` elements.
    public static func create(bufferSize: Int) -> ReplaySubject<Element> {
        ReplaySubject(capacity: bufferSize)
    }

    /// Creates a subject that replays every element; its memory grows with each.
    public static func createUnbounded() -> ReplaySubject<Element> {
        ReplaySubject(capacity: .max)
    }

    /// Whether it has subscribers.
    public var hasObservers: Bool { broadcast.hasObservers }

    /// Emits an event to the subscribers; ignored after the end.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): broadcast.nextKept(element)
        case .error, .completed: broadcast.stop(event)
        }
    }

    /// Stores `element` and emits it.
    public func onNext(_ element: Element) { broadcast.nextKept(element) }
    /// Ends the subject with `error`.
    public func onError(_ error: any Error) { broadcast.stop(.error(error)) }
    /// Completes the subject.
    public func onCompleted() { broadcast.stop(.completed) }

    /// Returns this subject.
    public func asObserver() -> ReplaySubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.joinWithReplay(stage) }

    /// Whether it has been disposed.
    public var isDisposed: Bool { broadcast.isDisposed }

    /// Releases the subscribers without an event. Later subscribers get `RxError.disposed`.
    public func dispose() { broadcast.dispose(self) }
}

private final class ReplayBroadcast<Element: RxSendable>: TypedBroadcast<Element>, @unchecked Sendable {
    // Unchecked: the lock guards the stored elements.
    private let capacity: Int
    /// A ring buffer in raw memory, because an array in unspecialized generic code costs several times more.
    @exclusivity(unchecked) private var memory = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    @exclusivity(unchecked) private var room = 1
    @exclusivity(unchecked) private var count = 0
    /// The position of the oldest element once the buffer is full.
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
        // Released outside the lock.
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

    /// Adds a subscriber, which gets the stored elements first, after the end as well but not after disposal.
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
        if isActive { goLive(member, stage) } else { emitEnd(stage, member) }
    }
}
