/// Emits its current value to each new subscriber, then every event that it receives. Grammar:
/// `next* (completed | error)?`.
///
/// Thread-safe; `on` may be called during a delivery. Events are delivered one at a time in one order.
public final class BehaviorSubject<Element: RxSendable>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    /// The type of the observer.
    public typealias SubjectObserverType = BehaviorSubject<Element>

    private let broadcast: ValueBroadcast<Element>

    /// Creates a subject with an initial value.
    public init(value: Element) {
        broadcast = ValueBroadcast(value)
        super.init()
    }

    deinit { broadcast.abandon() }

    /// Returns the latest element, or the initial value.
    ///
    /// - Throws: the error that the subject ended with, or `RxError.disposed`.
    public func value() throws -> Element { try broadcast.current() }

    /// Whether it has subscribers.
    public var hasObservers: Bool { broadcast.hasObservers }

    /// Emits an event to the subscribers; ignored after the end.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): broadcast.nextKept(element)
        case .error, .completed: broadcast.stop(event)
        }
    }

    /// Makes `element` the value and emits it.
    public func onNext(_ element: Element) { broadcast.nextKept(element) }
    /// Ends the subject with `error`.
    public func onError(_ error: any Error) { broadcast.stop(.error(error)) }
    /// Completes the subject.
    public func onCompleted() { broadcast.stop(.completed) }

    /// Returns this subject.
    public func asObserver() -> BehaviorSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.joinWithValue(stage) }

    /// Whether it has been disposed.
    public var isDisposed: Bool { broadcast.isDisposed }

    /// Releases the subscribers without an event. Later subscribers get `RxError.disposed`.
    public func dispose() { broadcast.dispose(self) }
}

private final class ValueBroadcast<Element: RxSendable>: TypedBroadcast<Element>, @unchecked Sendable {
    // Unchecked: the lock guards the memory of `value`.
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
        // Released outside the lock.
        withExtendedLifetime(previous) {}
    }

    /// Adds a subscriber, which gets the value first; after the end it gets only the end.
    func joinWithValue(_ stage: Stage<Element>) {
        let member = Member(self)
        stage.attach(member)
        guard lockWhenActive() else { return emitEnd(stage, member) }
        addReplaying(member)
        let current = value.pointee
        lock.unlock()
        if !member.isGone { stage.next(current) }
        goLive(member, stage)
    }
}
