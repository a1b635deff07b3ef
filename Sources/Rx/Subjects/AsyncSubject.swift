/// Emits its last element after it completes, to late subscribers as well. Grammar: `next? (completed | error)`; after
/// an error it emits only the error.
public final class AsyncSubject<Element: RxSendable>: Observable<Element>, SubjectType, ObserverType,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    /// The type of the observer.
    public typealias SubjectObserverType = AsyncSubject<Element>

    private let broadcast = LastBroadcast<Element>()

    public override init() { super.init() }

    deinit { broadcast.abandon() }

    /// Whether it has subscribers.
    public var hasObservers: Bool { broadcast.hasObservers }

    /// Handles an event; ignored after the end.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): broadcast.keep(element)
        case .error(let error): broadcast.stop(.error(error))
        case .completed: broadcast.complete()
        }
    }

    /// Stores `element` as the latest.
    public func onNext(_ element: Element) { broadcast.keep(element) }
    /// Ends the subject with `error`.
    public func onError(_ error: any Error) { broadcast.stop(.error(error)) }
    /// Completes the subject and emits the latest element.
    public func onCompleted() { broadcast.complete() }

    /// Returns this subject.
    public func asObserver() -> AsyncSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.joinOrEnd(stage) }
}

private final class LastBroadcast<Element: RxSendable>: TypedBroadcast<Element>, @unchecked Sendable {
    // Unchecked: the lock guards the mutable state.
    @exclusivity(unchecked) private var latest: Element?
    /// The element emitted at completion.
    @exclusivity(unchecked) private var result: Element?

    func keep(_ element: Element) {
        guard lockWhenActive() else { return }
        let previous = latest
        latest = element
        lock.unlock()
        // Released outside the lock.
        withExtendedLifetime(previous) {}
    }

    func complete() {
        guard lockWhenActive() else { return }
        result = latest
        unlockAndStop(.completed, after: result)
    }

    func joinOrEnd(_ stage: Stage<Element>) {
        let member = Member(self)
        stage.attach(member)
        if lockWhenActive() {
            add(member, stage)
            return lock.unlock()
        }
        let result = lock.withLock { self.result }
        if let result, !member.isGone { stage.next(result) }
        emitEnd(stage, member)
    }
}
