// Several sequences that do not fail; see the operators of `ObservableType`.

extension InfallibleType {
    // MARK: - One after the other, or as they come

    /// The sequence, then, when it has completed, `second`, which does not fail.
    ///
    /// ```
    /// source         --1--|
    /// second              -2-|
    /// concat(second) --1---2-|
    /// ```
    public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Infallible<Element>
    where Source.Element == Element {
        Infallible(asObservable().concat(second.asObservable()))
    }

    /// The sequences one after the other, each subscribed when the one before has completed.
    ///
    /// ```
    /// first   --1--|
    /// second       -2-|
    /// concat  --1---2-|
    /// ```
    public static func concat<Sources: Sequence & Sendable>(_ sequence: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.concat(InfallibleSources(infallibles: sequence)))
    }

    /// The sequences one after the other, each subscribed when the one before has completed.
    ///
    /// ```
    /// first   --1--|
    /// second       -2-|
    /// concat  --1---2-|
    /// ```
    public static func concat<Sources: Collection & Sendable>(_ collection: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.concat(InfallibleSources(infallibles: collection)))
    }

    /// The sequences one after the other, each subscribed when the one before has completed.
    ///
    /// ```
    /// first   --1--|
    /// second       -2-|
    /// concat  --1---2-|
    /// ```
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(.concat(sources.map(\.source)))
    }

    /// The elements of all these sequences, as they come; completes when all have.
    ///
    /// ```
    /// first   --1-----3|
    /// second  ----2--|
    /// merge   --1-2---3|
    /// ```
    public static func merge<Sources: Collection>(_ sources: Sources) -> Infallible<Element>
    where Sources.Element == Infallible<Element> {
        Infallible(.merge(sources.map(\.source)))
    }

    /// The elements of all these sequences, as they come; completes when all have.
    ///
    /// ```
    /// first   --1-----3|
    /// second  ----2--|
    /// merge   --1-2---3|
    /// ```
    public static func merge(_ sources: [Infallible<Element>]) -> Infallible<Element> {
        Infallible(.merge(sources.map(\.source)))
    }

    /// The elements of all these sequences, as they come; completes when all have.
    ///
    /// ```
    /// first   --1-----3|
    /// second  ----2--|
    /// merge   --1-2---3|
    /// ```
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(.merge(sources.map(\.source)))
    }

    // MARK: - Combined

    /// As the other form, for any number of sources of one type.
    ///
    /// ```
    /// first                             --1-----3--|
    /// second                            ----2-|
    /// combineLatest([…]) { sum of $0 }  ----3---5--|
    /// ```
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) -> Element
    ) -> Infallible<Element> where Sources.Element: InfallibleType {
        Infallible(.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// The latest elements of all these, in their order, at each new one once every source has one.
    ///
    /// ```
    /// first               --1-----3--|
    /// second              ----2-|
    /// combineLatest([…])  ----A---B--|   A = [1, 2], B = [3, 2]
    /// ```
    public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
    where Sources.Element: InfallibleType, Sources.Element.Element == Element {
        Infallible<[Element]>(.combineLatest(collection.map { $0.asObservable() }, resultSelector: { $0 }))
    }

    // MARK: - With something else

    /// What `resultSelector` makes of each element and the latest of `second`; nothing before `second` has one.
    ///
    /// ```
    /// source                       --1-----2--|
    /// second                       ----a----
    /// withLatestFrom(second) { … } --------2a-|
    /// ```
    public func withLatestFrom<Source: InfallibleType, Result: Sendable>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().withLatestFrom(second.asObservable(), resultSelector: resultSelector))
    }

    /// At each element, the latest of `second`; nothing before `second` has one.
    ///
    /// ```
    /// source                 --1-----2--|
    /// second                 ----a----
    /// withLatestFrom(second) --------a--|
    /// ```
    public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
        Infallible(asObservable().withLatestFrom(second.asObservable()))
    }

    /// What `resultSelector` makes of `object`, which is held weakly, and each element; the end once it has gone.
    ///
    /// ```
    /// source                        --1--2----3
    /// object                        [alive   ]
    /// withUnretained(object) { … }  --o1-o2---|
    /// ```
    public func withUnretained<Object: AnyObject & Sendable, Result: Sendable>(
        _ object: Object, resultSelector: @escaping @Sendable (Object, Element) -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().withUnretained(object, resultSelector: resultSelector))
    }

    /// Each element with `object`, which is held weakly; the end once it has gone.
    ///
    /// ```
    /// source                  --1------2-----3
    /// object                  [alive        ]
    /// withUnretained(object)  --(o,1)--(o,2)-|
    /// ```
    public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Infallible<(Object, Element)> {
        withUnretained(object) { ($0, $1) }
    }
}

/// The observables of infallibles, each asked for when its turn has come: the sequence may be endless.
private struct InfallibleSources<Infallibles: Sequence & Sendable, Element: Sendable>: Sequence, Sendable
where Infallibles.Element == Infallible<Element> {
    let infallibles: Infallibles

    struct Iterator: IteratorProtocol {
        var infallibles: Infallibles.Iterator

        mutating func next() -> Observable<Element>? { infallibles.next()?.source }
    }

    func makeIterator() -> Iterator { Iterator(infallibles: infallibles.makeIterator()) }
}
