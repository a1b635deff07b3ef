extension ObservableType where Element: ObservableConvertibleType {
    /// Merges all inner sequences. Completes when the outer and all inner sequences have. The first error ends it.
    ///
    /// ```
    /// source   -first-second-|
    /// first     -1-----2--|
    /// second          ---3---4--|
    /// merge()  --1-----2-3---4--|
    /// ```
    public func merge() -> Observable<Element.Element> { flatMap { $0 } }

    /// Merges inner sequences, with at most `maxConcurrent` subscribed at a time; the others wait. The first error ends
    /// it.
    ///
    /// ```
    /// source                   -first-second-|
    /// first                     -1-----2--|
    /// second                              --3----4--|
    /// merge(maxConcurrent: 1)  --1-----2----3----4--|
    /// ```
    public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        precondition(maxConcurrent > 0, "at least one inner sequence runs")
        return MergeLimited(asObservable(), maxConcurrent) { $0.asObservable() }
    }

    /// Emits the inner sequences one after the other. The first error ends it.
    ///
    /// ```
    /// source    -first-second-|
    /// first      -1-----2--|
    /// second               --3----4--|
    /// concat()  --1-----2----3----4--|
    /// ```
    public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }
}

extension ObservableType {
    /// Merges these sequences. Completes when all have. The first error ends it.
    ///
    /// ```
    /// first                          --1-----2--|
    /// second                         ----3-----4---|
    /// merge(set(of: first, second))  --1-3---2-4---|
    /// ```
    public static func merge<Sources: Collection>(_ sources: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        Merge(Array(sources))
    }

    /// Merges these sequences. Completes when all have. The first error ends it.
    ///
    /// ```
    /// first                   --1-----2--|
    /// second                  ----3-----4---|
    /// merge([first, second])  --1-3---2-4---|
    /// ```
    public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> { Merge(sources) }

    /// Merges these sequences. Completes when all have. The first error ends it.
    ///
    /// ```
    /// first                 --1-----2--|
    /// second                ----3-----4---|
    /// merge(first, second)  --1-3---2-4---|
    /// ```
    public static func merge(_ sources: Observable<Element>...) -> Observable<Element> { Merge(sources) }
}

private final class Merge<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let sources: [Observable<Element>]

    init(_ sources: [Observable<Element>]) {
        self.sources = sources
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        if sources.isEmpty { return stage.completed() }
        let hub = Hub(stage)
        stage.attach(hub)
        // Create all legs first, because a source that completes at once is not the last one.
        let legs = sources.map { _ in MergeLeg(hub: hub) }
        for (source, leg) in Swift.zip(sources, legs) where leg.isOpen { source.run(leg) }
    }
}
