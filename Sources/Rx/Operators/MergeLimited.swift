internal import Glibc

extension ObservableType {
    /// Emits the sequences that `selector` returns for the elements, one after the other. The first error ends it.
    ///
    /// `selector` is called when an element arrives; its sequence waits for its turn.
    ///
    /// ```
    /// source                   --1--2----------|
    /// inner(1)                   -a---b-|
    /// inner(2)                          -c---d-|
    /// concatMap { inner($0) }  ---a---b--c---d-|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        MergeLimited(asObservable(), 1) { try selector($0).asObservable() }
    }
}

/// Merges inner sequences with a limit on concurrent subscriptions.
@usableFromInline
final class MergeLimited<Element: RxSendable, Result: RxSendable>: Producer<Result>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let limit: Int
    let selector: @Sendable (Element) throws -> Observable<Result>

    @usableFromInline
    init(
        _ source: Observable<Element>, _ limit: Int,
        _ selector: @escaping @Sendable (Element) throws -> Observable<Result>
    ) {
        self.source = source
        self.limit = limit
        self.selector = selector
        super.init()
    }

    override func run(_ stage: Stage<Result>) {
        let hub = Hub(stage)
        stage.attach(hub)
        source.run(LimitedOuterSink(LimitedInners(hub, limit), selector))
    }
}

/// Starts the inner sequences, a limited number at a time; the others wait.
///
/// As a stage, receives those of one element, which need no leg.
private final class LimitedInners<Result: RxSendable>: Stage<Result>, @unchecked Sendable {
    // Unchecked: see `Stage`; `lock` guards the variables.
    let hub: Hub<Result>
    private let limit: Int
    private let lock = Lock()
    @exclusivity(unchecked) private var waiting = Ring<Observable<Result>>()
    @exclusivity(unchecked) private var running = 0
    @exclusivity(unchecked) private var isOuterDone = false
    /// The threads that are starting sequences. Each starts in a loop, so that sequences that complete at once do not
    /// deepen the stack. Another thread may start one meanwhile, because a subscription may block.
    @exclusivity(unchecked) private var starters = Starters()

    init(_ hub: Hub<Result>, _ limit: Int) {
        self.hub = hub
        self.limit = limit
        super.init()
    }

    func add(_ inner: Observable<Result>) {
        lock.lock()
        let thread = pthread_self()
        if running == limit || starters.contains(thread) { return unlockAndKeep(inner) }
        starters.insert(thread)
        running += 1
        let next = waiting.isEmpty ? inner : replaceFirst(inner)
        lock.unlock()
        start(next)
    }

    @inline(never)
    private func unlockAndKeep(_ inner: Observable<Result>) {
        waiting.append(inner)
        lock.unlock()
    }

    /// The first that waits; `last` waits now. Another thread that starts sequences has not come to it yet.
    @inline(never)
    private func replaceFirst(_ last: Observable<Result>) -> Observable<Result> {
        waiting.append(last)
        return waiting.removeFirst()
    }

    func outerDone() {
        lock.lock()
        isOuterDone = true
        unlockAndStartWaiting()
    }

    func innerDone() {
        lock.lock()
        running -= 1
        unlockAndStartWaiting()
    }

    private func unlockAndStartWaiting() {
        if starters.contains(pthread_self()) { return lock.unlock() }
        starters.insert(pthread_self())
        lock.unlock()
        if let inner = nextToStart() { start(inner) }
    }

    /// Runs `inner` and then those that may start meanwhile.
    private func start(_ inner: Observable<Result>) {
        var inner = inner
        while !hub.isDisposed {
            if inner.isScalar {
                inner.run(self)
            } else {
                inner.subscribe(into: LimitedInnerLeg(self))
            }
            guard let next = nextToStart() else { return }
            inner = next
        }
    }

    /// The next sequence that may start. If there is none, this thread no longer starts any, and the sequence ends if
    /// all have ended.
    private func nextToStart() -> Observable<Result>? {
        lock.lock()
        if running < limit, !waiting.isEmpty { return takeFirstAndUnlock() }
        starters.remove(pthread_self())
        let isOver = isOuterDone && running == 0
        lock.unlock()
        if isOver { hub.turn { $0.finish() } }
        return nil
    }

    @inline(never)
    private func takeFirstAndUnlock() -> Observable<Result> {
        let inner = waiting.removeFirst()
        running += 1
        lock.unlock()
        return inner
    }

    // MARK: - A sequence of one element, which ends before `start` continues

    override func attach(_ upstream: DisposeBase) {}

    override func next(_ element: Result) {
        guard hub.enter() else { return park(element) }
        hub.emit(element)
        hub.leave()
    }

    @inline(never)
    private func park(_ element: Result) { hub.turn { $0.emit(element) } }

    override func error(_ error: any Error) { hub.turn { $0.fail(error) } }

    override func completed() { lock.withLock { running -= 1 } }
}

/// A few threads, usually one.
private struct Starters {
    private var first: pthread_t?
    private var others: [pthread_t] = []

    func contains(_ thread: pthread_t) -> Bool { first == thread || others.contains(thread) }

    mutating func insert(_ thread: pthread_t) {
        if first == nil { first = thread } else { others.append(thread) }
    }

    mutating func remove(_ thread: pthread_t) {
        if first == thread { first = nil } else { others.removeAll { $0 == thread } }
    }
}

private final class LimitedOuterSink<Element: RxSendable, Result: RxSendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let inners: LimitedInners<Result>
    private let selector: @Sendable (Element) throws -> Observable<Result>

    init(_ inners: LimitedInners<Result>, _ selector: @escaping @Sendable (Element) throws -> Observable<Result>) {
        self.inners = inners
        self.selector = selector
        super.init()
        inners.hub.insert(self)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        do {
            inners.add(try selector(element))
        } catch {
            dispose()
            inners.hub.turn { $0.fail(error) }
        }
    }

    override func failed(_ error: any Error) { inners.hub.turn { $0.fail(error) } }

    override func finished() {
        inners.hub.remove(self)
        inners.outerDone()
    }
}

private final class LimitedInnerLeg<Result: RxSendable>: Leg<Result>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let inners: LimitedInners<Result>

    init(_ inners: LimitedInners<Result>) {
        self.inners = inners
        super.init(inners.hub)
    }

    override func take(_ element: Result) { inners.hub.emit(element) }
    override func takeError(_ error: any Error) { inners.hub.fail(error) }
    override func takeCompletion() { inners.hub.remove(self) }

    // After its turn, because the next sequence may run for long.
    override func closed() { if hasCompleted, !inners.hub.isDisposed { inners.innerDone() } }
}
