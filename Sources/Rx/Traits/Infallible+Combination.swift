// Operators that combine several infallible sequences; they correspond to those of `ObservableType`.

extension InfallibleType {
    // MARK: - One after the other, or as they come

    /// Emits the sequence, then, after its completion, `second`, which must not fail.
    ///
    /// ```
    /// source          --1--|
    /// second               -2-|
    /// concat(second)  --1---2-|
    /// ```
    public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Infallible<Element>
    where Source.Element == Element {
        Infallible(asObservable().concat(second.asObservable()))
    }

    /// Emits the sequences one after the other.
    ///
    /// ```
    /// first                                --1--|
    /// second                                    -2-|
    /// concat(sequence(of: first, second))  --1---2-|
    /// ```
    public static func concat<Sources: Sequence & RxSendable>(_ sequence: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.concat(InfallibleSources(infallibles: sequence)))
    }

    /// Emits the sequences one after the other.
    ///
    /// ```
    /// first                    --1--|
    /// second                        -2-|
    /// concat([first, second])  --1---2-|
    /// ```
    public static func concat<Sources: Collection & RxSendable>(_ collection: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.concat(InfallibleSources(infallibles: collection)))
    }

    /// Emits the sequences one after the other.
    ///
    /// ```
    /// first                  --1--|
    /// second                      -2-|
    /// concat(first, second)  --1---2-|
    /// ```
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(.concat(sources.map(\.source)))
    }

    /// Merges the sequences. Completes when all have.
    ///
    /// ```
    /// first                          --1-----3-|
    /// second                         ----2--|
    /// merge(set(of: first, second))  --1-2---3-|
    /// ```
    public static func merge<Sources: Collection>(_ sources: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.merge(sources.map(\.source)))
    }

    /// Merges the sequences. Completes when all have.
    ///
    /// ```
    /// first                   --1-----3-|
    /// second                  ----2--|
    /// merge([first, second])  --1-2---3-|
    /// ```
    public static func merge(_ sources: [Infallible<Element>]) -> Infallible<Element> {
        Infallible(.merge(sources.map(\.source)))
    }

    /// Merges the sequences. Completes when all have.
    ///
    /// ```
    /// first                 --1-----3-|
    /// second                ----2--|
    /// merge(first, second)  --1-2---3-|
    /// ```
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(.merge(sources.map(\.source)))
    }

    // MARK: - Combined

    /// Combines the latest elements of any number of sources of one type with `resultSelector`, at each new element
    /// once every source has one.
    ///
    /// ```
    /// first                                             --1-----3--|
    /// second                                            ----2-|
    /// combineLatest([first, second]) { $0[0] + $0[1] }  ----3---5--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) -> Element
    ) -> Infallible<Element> where Sources.Element: InfallibleType {
        Infallible(.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Combines the latest elements of all sources in an array, at each new element once every source has one.
    ///
    /// ```
    /// first                           --1-------3------|
    /// second                          ----2-|
    /// combineLatest([first, second])  ----[1,2]-[3,2]--|
    /// ```
    public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
    where Sources.Element: InfallibleType, Sources.Element.Element == Element {
        Infallible<[Element]>(.combineLatest(collection.map { $0.asObservable() }, resultSelector: { $0 }))
    }

    // MARK: - With something else

    /// Emits `resultSelector` of each element and the latest of `second`. Drops elements before the first of `second`.
    ///
    /// ```
    /// source                              --1-----2--|
    /// second                              ----5------
    /// withLatestFrom(second) { $0 + $1 }  --------7--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func withLatestFrom<Source: InfallibleType, Result: RxSendable>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().withLatestFrom(second.asObservable(), resultSelector: resultSelector))
    }

    /// Emits the latest element of `second` at each element. Drops elements before the first of `second`.
    ///
    /// ```
    /// source                  --1-----2--|
    /// second                  ----5------
    /// withLatestFrom(second)  --------5--|
    /// ```
    public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
        Infallible(asObservable().withLatestFrom(second.asObservable()))
    }

    /// Emits `resultSelector` of `object` and each element. Holds `object` weakly and completes at the first element
    /// after its deallocation.
    ///
    /// ```
    /// source                                        --1----2----3--|
    /// object                                        ^---------!
    /// withUnretained(object) { "\($0.name)\($1)" }  --o1---o2---|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func withUnretained<Object: AnyObject & RxSendable, Result: RxSendable>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().withUnretained(object, resultSelector: resultSelector))
    }

    /// Emits `object` with each element. Holds `object` weakly and completes at the first element after its
    /// deallocation.
    ///
    /// ```
    /// source                  --1----2----3--|
    /// object                  ^---------!
    /// withUnretained(object)  --o,1--o,2--|
    /// ```
    public func withUnretained<Object: AnyObject & RxSendable>(_ object: Object) -> Infallible<(Object, Element)> {
        withUnretained(object) { ($0, $1) }
    }
}

/// The observables of infallible sequences, each requested only when its turn comes; the sequence may be infinite.
private struct InfallibleSources<Infallibles: Sequence & RxSendable, Element: RxSendable>: Sequence, Sendable
where Infallibles.Element == Infallible<Element> {
    let infallibles: Infallibles

    struct Iterator: IteratorProtocol {
        var infallibles: Infallibles.Iterator

        mutating func next() -> Observable<Element>? { infallibles.next()?.source }
    }

    func makeIterator() -> Iterator { Iterator(infallibles: infallibles.makeIterator()) }
}
