extension ObservableType {
    /// The implementation for any number of sources, called by the public overloads.
    @inlinable
    static func combineLatestAny<each Source: ObservableType>(
        _ source: repeat each Source,
        resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
    ) -> Observable<Element> {
        CombineLatest { Combination.run(repeat (each source).asObservable(), into: $0, resultSelector: resultSelector) }
    }

    /// Combines the latest elements of any number of sources of one type, at each new element once every source has
    /// one. Without sources, emits one result and completes. The first error ends the sequence.
    ///
    /// ```
    /// first                                             --1-----2-----|
    /// second                                            ----5-----6-|
    /// combineLatest([first, second]) { $0[0] + $0[1] }  ----6---7-8---|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Observable<Element> where Sources.Element: ObservableType {
        CombineLatestArray(collection.map { $0.asObservable() }, resultSelector)
    }

    /// Combines the latest elements of all sources in an array, at each new element once every source has one. The
    /// first error ends the sequence.
    ///
    /// ```
    /// first                           --1-------2-----------|
    /// second                          ----5-----------6-----|
    /// combineLatest([first, second])  ----[1,5]-[2,5]-[2,6]-|
    /// ```
    public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        CombineLatestArray(collection.map { $0.asObservable() }) { $0 }
    }
}

@usableFromInline
final class CombineLatest<Result: RxSendable>: Producer<Result>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    private let combine: @Sendable (Stage<Result>) -> Void

    /// - Parameter combine: runs the sources into the stage.
    @usableFromInline
    init(_ combine: @escaping @Sendable (Stage<Result>) -> Void) {
        self.combine = combine
        super.init()
    }

    override func run(_ stage: Stage<Result>) { combine(stage) }
}

private final class CombineLatestArray<Element: RxSendable, Result: RxSendable>: Producer<Result>, @unchecked Sendable {
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
        let slots = sources.map { _ in LatestSlot<Element>() }
        let combination = Combination(stage) { [selector] in try selector(slots.map(\.element)) }
        stage.attach(combination)
        let legs = slots.map { CombineLeg(combination, $0) }
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

/// The latest element of a source; initialized before it is combined.
@usableFromInline
final class LatestSlot<Element: RxSendable>: @unchecked Sendable {
    // Unchecked: touched in turns only.
    @usableFromInline let place = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    @exclusivity(unchecked) private(set) var isFilled = false

    @usableFromInline init() {}

    deinit {
        if isFilled { place.deinitialize(count: 1) }
        place.deallocate()
    }

    @inlinable var element: Element { place.pointee }

    func fill(with element: Element) {
        if isFilled {
            place.pointee = element
        } else {
            place.initialize(to: element)
            isFilled = true
        }
    }
}

@usableFromInline
final class Combination<Result: RxSendable>: Hub<Result>, @unchecked Sendable {
    // Unchecked: see `Junction`. The properties below are set before the sources run and then touched only in turns.

    private let combine: () throws -> Result
    @exclusivity(unchecked) fileprivate var legsWithoutElement = 0
    /// The number of sources that have not completed.
    @exclusivity(unchecked) fileprivate var legsOpen = 0

    /// - Parameter combine: called once each source has an element.
    @usableFromInline
    init(_ downstream: Stage<Result>, combine: @escaping () throws -> Result) {
        self.combine = combine
        super.init(downstream)
    }

    /// Inlined to be specialized for the element types.
    @inlinable
    static func run<each Element: RxSendable>(
        _ source: repeat Observable<each Element>, into stage: Stage<Result>,
        resultSelector: @escaping @Sendable (repeat each Element) throws -> Result
    ) {
        let slots = (repeat LatestSlot<each Element>())
        let combination = Combination(stage) { try resultSelector(repeat (each slots).element) }
        stage.attach(combination)
        combination.run(repeat each source, into: repeat each slots)
    }

    @usableFromInline
    func run<each Element: RxSendable>(
        _ source: repeat Observable<each Element>, into slot: repeat LatestSlot<each Element>
    ) {
        // Create all legs first, because a source that emits at once is not the only one.
        let legs = (repeat CombineLeg(self, each slot))
        for (source, leg) in repeat (each source, each legs) {
            if leg.isOpen { source.run(leg) }
        }
    }

    fileprivate func changed() {
        if legsWithoutElement > 0 {
            if legsOpen == 1 { finish() }
            return
        }
        if isOver || isDisposed { return }
        do {
            emit(try combine())
        } catch {
            fail(error)
        }
    }
}

private final class CombineLeg<Element: RxSendable, Result: RxSendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let combination: Combination<Result>
    private let latest: LatestSlot<Element>

    init(_ combination: Combination<Result>, _ slot: LatestSlot<Element>) {
        self.combination = combination
        latest = slot
        combination.legsWithoutElement += 1
        combination.legsOpen += 1
        super.init(combination)
    }

    override func take(_ element: Element) {
        if !latest.isFilled { combination.legsWithoutElement -= 1 }
        latest.fill(with: element)
        combination.changed()
    }

    override func takeError(_ error: any Error) { combination.fail(error) }

    override func takeCompletion() {
        combination.legsOpen -= 1
        if combination.remove(self) == 0 { combination.finish() }
    }
}
