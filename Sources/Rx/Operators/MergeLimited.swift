extension ObservableType {
    /// The elements of the sequences that `selector` makes of the elements, one sequence after the other.
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        MergeLimited(asObservable(), 1) { try selector($0).asObservable() }
    }
}

/// Inner sequences of which some run at a time; the elements they will be made of wait.
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
        let hub = LimitedHub(stage, self)
        stage.attach(hub)
        source.run(LimitedOuterSink(hub))
    }
}

private final class LimitedHub<Element: Sendable, Result: Sendable>: Hub<Result>, @unchecked Sendable {
    // Unchecked: see `Junction`; what is below is guarded by `lock`.
    private let limit: Int
    private let selector: @Sendable (Element) throws -> Observable<Result>
    private let lock = Lock()
    private var waiting: [Element] = []
    private var running = 0
    private var isOuterDone = false
    private var isStarting = false

    init(_ downstream: Stage<Result>, _ parent: MergeLimited<Element, Result>) {
        self.limit = parent.limit
        self.selector = parent.selector
        super.init(downstream)
    }

    func enqueue(_ element: Element) {
        lock.withLock { waiting.append(element) }
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
        case start(Element)
        case finish
        case nothing
    }

    /// In a loop by one at a time, so that inner sequences that complete at once need no deeper stack.
    private func startWhatMay() {
        let mayStart = lock.withLock {
            defer { isStarting = true }
            return !isStarting
        }
        if !mayStart { return }
        while true {
            let step = lock.withLock { () -> Step in
                if !waiting.isEmpty, running < limit {
                    running += 1
                    return .start(waiting.removeFirst())
                }
                isStarting = false
                return isOuterDone && waiting.isEmpty && running == 0 ? .finish : .nothing
            }
            switch step {
            case .start(let element):
                if isDisposed { return }
                start(element)
            case .finish:
                return turn { $0.finish() }
            case .nothing:
                return
            }
        }
    }

    private func start(_ element: Element) {
        do {
            let inner = try selector(element)
            inner.subscribe(into: LimitedInnerLeg(self))
        } catch {
            turn { $0.fail(error) }
        }
    }
}

private final class LimitedOuterSink<Element: Sendable, Result: Sendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: LimitedHub<Element, Result>

    init(_ hub: LimitedHub<Element, Result>) {
        self.hub = hub
        super.init()
        hub.insert(self)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        hub.enqueue(element)
    }

    override func failed(_ error: any Error) { hub.turn { $0.fail(error) } }

    override func finished() {
        hub.remove(self)
        hub.outerDone()
    }
}

private final class LimitedInnerLeg<Element: Sendable, Result: Sendable>: Leg<Result>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: LimitedHub<Element, Result>

    init(_ hub: LimitedHub<Element, Result>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Result) { hub.emit(element) }
    override func takeError(_ error: any Error) { hub.fail(error) }
    override func takeCompletion() { hub.remove(self) }

    // After its turn: what is started next may run for long.
    override func closed() { if hasCompleted, !hub.isDisposed { hub.innerDone() } }
}
