extension ObservableType {
    /// Mirrors the sequence or `right`, whichever emits an event first, including an end, and disposes the other.
    ///
    /// ```
    /// source      ----1--2--|
    /// right       --3--4--5--|
    /// amb(right)  --3--4--5--|
    /// ```
    public func amb<Source: ObservableType>(_ right: Source) -> Observable<Element> where Source.Element == Element {
        Amb([asObservable(), right.asObservable()])
    }

    /// Mirrors the sequence or `right`, whichever emits an event first. This overload accepts `.just(1)`, `.never()`,
    /// and similar expressions.
    ///
    /// ```
    /// source      ----1--2--|
    /// right       --3--4--5--|
    /// amb(right)  --3--4--5--|
    /// ```
    public func amb(_ right: Observable<Element>) -> Observable<Element> { Amb([asObservable(), right]) }

    /// Mirrors whichever of the sequences emits an event first, including an end, and disposes the others. Without
    /// sequences it never emits.
    ///
    /// ```
    /// first                 ----1--2--|
    /// second                --3--4--5--|
    /// amb([first, second])  --3--4--5--|
    /// ```
    public static func amb<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        Amb(Array(sequence))
    }
}

private final class Amb<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let sources: [Observable<Element>]

    init(_ sources: [Observable<Element>]) {
        self.sources = sources
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let race = Race<Element>()
        let sinks = sources.map { _ in AmbSink(stage, race) }
        race.start(sinks)
        stage.attach(race)
        for (source, sink) in Swift.zip(sources, sinks) where sink.isOpen { source.run(sink) }
    }
}

private final class Race<Element: RxSendable>: DisposeBase, @unchecked Sendable {
    // Unchecked: `state` is guarded by `lock`.
    private enum State {
        case open([AmbSink<Element>])
        case won(AmbSink<Element>)
        case over
    }

    private let lock = Lock()
    private var state = State.open([])

    func start(_ sinks: [AmbSink<Element>]) { lock.withLock { state = .open(sinks) } }

    /// Whether `sink`, which has its first event, wins. If so, disposes the others before it returns.
    func wins(_ sink: AmbSink<Element>) -> Bool {
        let others = lock.withLock { () -> [AmbSink<Element>]? in
            switch state {
            case .open(let sinks):
                state = .won(sink)
                return sinks
            case .won, .over:
                return nil
            }
        }
        guard let others else { return false }
        for other in others where other !== sink { other.dispose() }
        return true
    }

    override func dispose() {
        let sinks = lock.withLock { () -> [AmbSink<Element>] in
            defer { state = .over }
            switch state {
            case .open(let sinks): return sinks
            case .won(let sink): return [sink]
            case .over: return []
            }
        }
        for sink in sinks { sink.dispose() }
    }
}

private final class AmbSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let race: Race<Element>
    private var hasWon = false

    init(_ downstream: Stage<Element>, _ race: Race<Element>) {
        self.race = race
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen, wins() else { return }
        downstream.next(element)
    }

    override func failed(_ error: any Error) { if wins() { downstream.error(error) } }
    override func finished() { if wins() { downstream.completed() } }

    private func wins() -> Bool {
        if !hasWon { hasWon = race.wins(self) }
        return hasWon
    }
}
