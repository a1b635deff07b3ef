extension ObservableType {
    /// The implementation for any number of sources, called by the public overloads.
    @usableFromInline
    static func zipAny<each Source: ObservableType>(
        _ source: repeat each Source,
        resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
    ) -> Observable<Element> {
        Zip<Element, repeat (each Source).Element>((repeat (each source).asObservable()), resultSelector)
    }

    /// Combines corresponding elements of any number of sources of one type with `resultSelector`. Completes when all
    /// sources have, or at once if there are none. The first error ends the sequence.
    ///
    /// ```
    /// first                                   --1-----2-----3--|
    /// second                                  ----5-6---------|
    /// zip([first, second]) { $0[0] + $0[1] }  ----6---8--------|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func zip<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Observable<Element> where Sources.Element: ObservableType {
        ZipArray(collection.map { $0.asObservable() }, resultSelector)
    }

    /// Combines corresponding elements of all sources in an array. Completes when all sources have, or at once if there
    /// are none. The first error ends the sequence.
    ///
    /// ```
    /// first                 --1-------2----3--|
    /// second                ----5-6----------|
    /// zip([first, second])  ----[1,5]-[2,6]---|
    /// ```
    public static func zip<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        ZipArray(collection.map { $0.asObservable() }) { $0 }
    }
}

private final class Zip<Result: RxSendable, each Element: RxSendable>: Producer<Result>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let sources: (repeat Observable<each Element>)
    let selector: @Sendable (repeat each Element) throws -> Result

    init(
        _ sources: (repeat Observable<each Element>),
        _ selector: @escaping @Sendable (repeat each Element) throws -> Result
    ) {
        self.sources = sources
        self.selector = selector
        super.init()
    }

    override func run(_ stage: Stage<Result>) {
        let tally = Tally()
        let waiting = (repeat Waiting(tally, of: (each Element).self))
        var count = 0
        for _ in repeat each waiting { count += 1 }
        let hub = ZipHub(stage, count, tally) { [selector] in try selector(repeat (each waiting).takeFirst()) }
        let legs = (repeat ZipLeg(hub, each waiting))
        stage.attach(hub)
        for (source, leg) in repeat (each sources, each legs) {
            if leg.isOpen { source.run(leg) }
        }
    }
}

private final class ZipArray<Element: RxSendable, Result: RxSendable>: Producer<Result>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let sources: [Observable<Element>]
    let selector: @Sendable ([Element]) throws -> Result

    init(_ sources: [Observable<Element>], _ selector: @escaping @Sendable ([Element]) throws -> Result) {
        self.sources = sources
        self.selector = selector
        super.init()
    }

    override func run(_ stage: Stage<Result>) {
        if sources.isEmpty { return stage.completed() }
        let tally = Tally()
        let waiting = sources.map { _ in Waiting(tally, of: Element.self) }
        let hub = ZipHub(stage, sources.count, tally) { [selector] in try selector(waiting.map { $0.takeFirst() }) }
        let legs = waiting.map { ZipLeg(hub, $0) }
        stage.attach(hub)
        for (source, leg) in Swift.zip(sources, legs) where leg.isOpen { source.run(leg) }
    }
}

/// The number of sources with a waiting element and the number of completed sources.
private final class Tally: @unchecked Sendable {
    // Unchecked: touched in turns only.
    @exclusivity(unchecked) var filled = 0
    @exclusivity(unchecked) var completed = 0
    /// Whether a completed source has no waiting element: no further result is possible, so elements need not wait.
    @exclusivity(unchecked) var isExhausted = false
}

/// The waiting elements of one source. Separate from its leg, because the hub holds the closure that combines them, and
/// the legs hold the hub.
private final class Waiting<Element: RxSendable>: @unchecked Sendable {
    // Unchecked: touched in turns only.
    private let tally: Tally
    @exclusivity(unchecked) private var elements = Ring<Element>()
    @exclusivity(unchecked) private var hasCompleted = false

    init(_ tally: Tally, of type: Element.Type) {
        self.tally = tally
    }

    func append(_ element: Element) {
        if tally.isExhausted { return }
        if elements.isEmpty { tally.filled += 1 }
        elements.append(element)
    }

    /// The source completed.
    func complete() {
        hasCompleted = true
        tally.completed += 1
        if elements.isEmpty { tally.isExhausted = true }
    }

    /// Removes the first element. Called only if every source has one.
    func takeFirst() -> Element {
        let element = elements.removeFirst()
        if elements.isEmpty {
            tally.filled -= 1
            if hasCompleted { tally.isExhausted = true }
        }
        return element
    }
}

private final class ZipHub<Result: RxSendable>: Hub<Result>, @unchecked Sendable {
    // Unchecked: see `Junction`; the tally is touched only in turns.
    private let count: Int
    private let tally: Tally
    private let makeResult: () throws -> Result

    init(_ downstream: Stage<Result>, _ count: Int, _ tally: Tally, _ makeResult: @escaping () throws -> Result) {
        self.count = count
        self.tally = tally
        self.makeResult = makeResult
        super.init(downstream)
    }

    func arrived() {
        if isOver || isDisposed || tally.filled < count { return }
        do {
            emit(try makeResult())
        } catch {
            fail(error)
        }
    }

    func ended() {
        if tally.completed == count { finish() }
    }
}

private final class ZipLeg<Element: RxSendable, Result: RxSendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: ZipHub<Result>
    private let waiting: Waiting<Element>

    init(_ hub: ZipHub<Result>, _ waiting: Waiting<Element>) {
        self.hub = hub
        self.waiting = waiting
        super.init(hub)
    }

    override func take(_ element: Element) {
        waiting.append(element)
        hub.arrived()
    }

    override func takeError(_ error: any Error) { hub.fail(error) }

    override func takeCompletion() {
        hub.remove(self)
        waiting.complete()
        hub.ended()
    }
}
