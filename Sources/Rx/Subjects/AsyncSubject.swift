/// Hands on its last element, once it has completed; to late subscribers too. An error is handed on alone.
public final class AsyncSubject<Element: Sendable>: Observable<Element>, SubjectType, ObserverType, @unchecked Sendable
{
    // Unchecked: see `Observable`.
    public typealias SubjectObserverType = AsyncSubject<Element>

    private let broadcast = LastBroadcast<Element>()

    public override init() { super.init() }

    deinit { broadcast.abandon() }

    /// Whether anyone is subscribed.
    public var hasObservers: Bool { broadcast.hasObservers }

    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): broadcast.keep(element)
        case .error(let error): broadcast.stop(.error(error))
        case .completed: broadcast.complete()
        }
    }

    public func onNext(_ element: Element) { broadcast.keep(element) }
    public func onError(_ error: any Error) { broadcast.stop(.error(error)) }
    public func onCompleted() { broadcast.complete() }

    public func asObserver() -> AsyncSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.joinOrTell(stage) }
}

private final class LastBroadcast<Element: Sendable>: TypedBroadcast<Element>, @unchecked Sendable {
    // Unchecked: what changes is guarded by the lock.
    @exclusivity(unchecked) private var latest: Element?
    /// What it completed with.
    @exclusivity(unchecked) private var result: Element?

    func keep(_ element: Element) {
        guard lockWhenActive() else { return }
        let previous = latest
        latest = element
        lock.unlock()
        // Not released with the lock held.
        withExtendedLifetime(previous) {}
    }

    func complete() {
        guard lockWhenActive() else { return }
        result = latest
        unlockAndStop(.completed, after: result)
    }

    func joinOrTell(_ stage: Stage<Element>) {
        let member = Member(self)
        stage.attach(member)
        if lockWhenActive() {
            add(member, stage)
            return lock.unlock()
        }
        let result = lock.withLock { self.result }
        if let result, !member.isGone { stage.next(result) }
        tellEnd(stage, member)
    }
}
