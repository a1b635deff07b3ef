extension ObservableType {
    /// Emits the sequences that `selector` returns for the elements, one after the other. The first error ends it.
    ///
    /// `selector` is called when an element arrives; its sequence waits for its turn.
    ///
    /// ```
    /// source                   --1--2----------|
    /// inner (n)                  a---b-|
    /// concatMap { inner($0) }  --a---b-a---b---|
    /// ```
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        MergeLimited(asObservable(), 1) { try selector($0).asObservable() }
    }
}

/// Merges inner sequences with a limit on concurrent subscriptions.
final class MergeLimited<Element: Sendable, Result: Sendable>: Producer<Result>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let limit: Int
    let selector: @Sendable (Element) throws -> Observable<Result>

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
        let hub = LimitedHub(stage, limit)
        stage.attach(hub)
        source.run(LimitedOuterSink(hub, selector))
    }
}

private final class LimitedHub<Result: Sendable>: Hub<Result>, @unchecked Sendable {
    // Unchecked: see `Junction`; `lock` guards the properties below.
    private let limit: Int
    private let lock = Lock()
    private var waiting = Queue<Observable<Result>>()
    private var running = 0
    private var isOuterDone = false
    private var isStarting = false

    init(_ downstream: Stage<Result>, _ limit: Int) {
        self.limit = limit
        super.init(downstream)
    }

    func enqueue(_ inner: Observable<Result>) {
        lock.withLock { waiting.append(inner) }
        startWhatMay()
    }

    func outerDone() {
        lock.withLock { isOuterDone = true }
        startWhatMay()
    }

    func innerDone() {
        lock.withLock { running -= 1 }
        startWhatMay()
    }

    private enum Step {
        case start(Observable<Result>)
        case finish
        case nothing
    }

    /// Starts waiting inner sequences in a loop, by one caller at a time, so that sequences that complete at once do
    /// not deepen the stack.
    private func startWhatMay() {
        let mayStart = lock.withLock {
            defer { isStarting = true }
            return !isStarting
        }
        if !mayStart { return }
        while true {
            let step = lock.withLock { () -> Step in
                if running < limit, let inner = waiting.removeFirst() {
                    running += 1
                    return .start(inner)
                }
                isStarting = false
                return isOuterDone && waiting.isEmpty && running == 0 ? .finish : .nothing
            }
            switch step {
            case .start(let inner):
                if isDisposed { return }
                inner.subscribe(into: LimitedInnerLeg(self))
            case .finish:
                return turn { $0.finish() }
            case .nothing:
                return
            }
        }
    }
}

private final class LimitedOuterSink<Element: Sendable, Result: Sendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: LimitedHub<Result>
    private let selector: @Sendable (Element) throws -> Observable<Result>

    init(_ hub: LimitedHub<Result>, _ selector: @escaping @Sendable (Element) throws -> Observable<Result>) {
        self.hub = hub
        self.selector = selector
        super.init()
        hub.insert(self)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        do {
            hub.enqueue(try selector(element))
        } catch {
            dispose()
            hub.turn { $0.fail(error) }
        }
    }

    override func failed(_ error: any Error) { hub.turn { $0.fail(error) } }

    override func finished() {
        hub.remove(self)
        hub.outerDone()
    }
}

private final class LimitedInnerLeg<Result: Sendable>: Leg<Result>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: LimitedHub<Result>

    init(_ hub: LimitedHub<Result>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Result) { hub.emit(element) }
    override func takeError(_ error: any Error) { hub.fail(error) }
    override func takeCompletion() { hub.remove(self) }

    // After its turn, because the next sequence may run for long.
    override func closed() { if hasCompleted, !hub.isDisposed { hub.innerDone() } }
}
