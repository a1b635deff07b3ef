/// Hands what it receives to its subscribers, and its current value to new ones first.
///
/// `on` may be called from several threads, and from within a delivery: events are delivered one at a time, in one order.
public final class BehaviorSubject<Element: Sendable>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    public typealias SubjectObserverType = BehaviorSubject<Element>

    private let broadcast: ValueBroadcast<Element>

    public init(value: Element) {
        broadcast = ValueBroadcast(value)
        super.init()
    }

    deinit { broadcast.abandon() }

    /// The latest element received, or the initial one.
    ///
    /// - Throws: the error the subject ended with, or `RxError.disposed`.
    public func value() throws -> Element { try broadcast.current() }

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

    public func asObserver() -> BehaviorSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.joinWithValue(stage) }

    public var isDisposed: Bool { broadcast.isDisposed }

    /// Lets go of the subscribers, without an event; later ones get `RxError.disposed`.
    public func dispose() { broadcast.dispose(self) }
}

private final class ValueBroadcast<Element: Sendable>: TypedBroadcast<Element>, @unchecked Sendable {
    // Unchecked: what `value` points at is guarded by the lock.
    private let value: UnsafeMutablePointer<Element>

    init(_ value: Element) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    func current() throws -> Element {
        lock.lock()
        defer { lock.unlock() }
        if let failure { throw failure }
        return value.pointee
    }

    func nextKept(_ element: Element) {
        guard lockWhenActive() else { return }
        let previous = value.move()
        value.initialize(to: element)
        unlockAndNext(element)
        // Not released with the lock held.
        withExtendedLifetime(previous) {}
    }

    /// A subject that has ended tells only that.
    func joinWithValue(_ stage: Stage<Element>) {
        let member = Member(self)
        stage.attach(member)
        guard lockWhenActive() else { return tellEnd(stage, member) }
        addReplaying(member)
        let current = value.pointee
        lock.unlock()
        if !member.isGone { stage.next(current) }
        goLive(member, stage)
    }
}
