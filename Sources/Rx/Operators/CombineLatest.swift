extension ObservableType {
    /// The form for any number of sources, where those for each number lead.
    @usableFromInline
    static func combineLatestAny<each Source: ObservableType>(
        _ source: repeat each Source,
        resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
    ) -> Observable<Element> {
        CombineLatest<Element, repeat (each Source).Element>((repeat (each source).asObservable()), resultSelector)
    }

    /// As the other form, for any number of sources of one type. Of none, one result, then the end.
    ///
    /// ```
    /// first                                     --1-----2-----|
    /// second                                    ----5-----6-|
    /// combineLatest([first, second]) { $0.sum } ----6---7-8---|
    /// ```
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Observable<Element> where Sources.Element: ObservableType {
        CombineLatestArray(collection.map { $0.asObservable() }, resultSelector)
    }

    /// The latest elements of all sources as an array, at each new one once every source has one; see the other forms.
    ///
    /// ```
    /// first                           --1-----2-------|
    /// second                          ----5-------6-|
    /// combineLatest([first, second])  ----[1,5]-[2,5]-[2,6]-|
    /// ```
    public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        CombineLatestArray(collection.map { $0.asObservable() }) { $0 }
    }
}

private final class CombineLatest<Result: Sendable, each Element: Sendable>: Producer<Result>, @unchecked Sendable {
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
        let latest = (repeat Latest(of: (each Element).self))
        var count = 0
        for _ in repeat each latest { count += 1 }
        let hub = CombineHub(stage, count) { [selector] in
            try selector(repeat (each latest).get())
        }
        let legs = (repeat CombineLeg(hub, each latest))
        stage.attach(hub)
        for (source, leg) in repeat (each sources, each legs) {
            if leg.isOpen { source.run(leg) }
        }
    }
}

private final class CombineLatestArray<Element: Sendable, Result: Sendable>: Producer<Result>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let sources: [Observable<Element>]
    let selector: @Sendable ([Element]) throws -> Result

    init(_ sources: [Observable<Element>], _ selector: @escaping @Sendable ([Element]) throws -> Result) {
        self.sources = sources
        self.selector = selector
        super.init()
    }

    override func run(_ stage: Stage<Result>) {
        if sources.isEmpty { return runEmpty(stage) }
        let latest = sources.map { _ in Latest(of: Element.self) }
        let hub = CombineHub(stage, sources.count) { [selector] in
            try selector(latest.map { $0.get() })
        }
        let legs = latest.map { CombineLeg(hub, $0) }
        stage.attach(hub)
        for (source, leg) in Swift.zip(sources, legs) where leg.isOpen { source.run(leg) }
    }

    private func runEmpty(_ stage: Stage<Result>) {
        do {
            stage.next(try selector([]))
            stage.completed()
        } catch {
            stage.error(error)
        }
    }
}

private final class CombineHub<Result: Sendable>: Hub<Result>, @unchecked Sendable {
    // Unchecked: see `Junction`; what is below is touched in turns only.
    private let combine: () throws -> Result
    var sourcesWithoutElement: Int
    /// How many sources have not completed.
    var sourcesOpen: Int

    init(_ downstream: Stage<Result>, _ count: Int, _ combine: @escaping () throws -> Result) {
        self.combine = combine
        sourcesWithoutElement = count
        sourcesOpen = count
        super.init(downstream)
    }

    func changed() {
        if isOver { return }
        if sourcesWithoutElement > 0 {
            if sourcesOpen == 1 { finish() }
            return
        }
        do {
            emit(try combine())
        } catch {
            fail(error)
        }
    }
}

/// The latest element of one source. Apart from its leg, so that the hub, which holds what combines these, does not hold
/// the legs, which hold the hub.
private final class Latest<Element: Sendable>: @unchecked Sendable {
    // Unchecked: touched in turns only.
    private var element: Element?

    init(of type: Element.Type) {}

    /// True for the first.
    func set(_ element: Element) -> Bool {
        let isFirst = self.element == nil
        self.element = element
        return isFirst
    }

    /// Called only when every source has an element.
    func get() -> Element { element! }
}

private final class CombineLeg<Element: Sendable, Result: Sendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: CombineHub<Result>
    private let latest: Latest<Element>

    init(_ hub: CombineHub<Result>, _ latest: Latest<Element>) {
        self.hub = hub
        self.latest = latest
        super.init(hub)
    }

    override func take(_ element: Element) {
        if latest.set(element) { hub.sourcesWithoutElement -= 1 }
        hub.changed()
    }

    override func takeError(_ error: any Error) { hub.fail(error) }

    override func takeCompletion() {
        hub.sourcesOpen -= 1
        if hub.remove(self) == 0 { hub.finish() }
    }
}
