public import Rx

// Several sequences of one type, and a second sequence.

extension SharedSequenceConvertibleType {
    /// Emits the sequences one after the other.
    ///
    /// ```
    /// first                                --1--|
    /// second                                    -2-|
    /// concat(sequence(of: first, second))  --1---2-|
    /// ```
    public static func concat<Sources: Sequence & RxSendable>(
        _ sequence: Sources
    ) -> SharedSequence<SharingStrategy, Element>
    where Sources.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence(.concat(sequence.lazySources()))
    }

    /// Emits the sequences one after the other.
    ///
    /// ```
    /// first                    --1--|
    /// second                        -2-|
    /// concat([first, second])  --1---2-|
    /// ```
    public static func concat<Sources: Collection & RxSendable>(
        _ collection: Sources
    ) -> SharedSequence<SharingStrategy, Element>
    where Sources.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence(.concat(collection.map(\.source)), .of(collection.map(\.confinement)))
    }

    /// Merges the sequences. Completes when all have.
    ///
    /// ```
    /// first                          --1-----3-|
    /// second                         ----2--|
    /// merge(set(of: first, second))  --1-2---3-|
    /// ```
    public static func merge<Sources: Collection>(_ sources: Sources) -> SharedSequence<SharingStrategy, Element>
    where Sources.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence(.merge(sources.map(\.source)), .of(sources.map(\.confinement)))
    }

    /// Merges the sequences. Completes when all have.
    ///
    /// ```
    /// first                   --1-----3-|
    /// second                  ----2--|
    /// merge([first, second])  --1-2---3-|
    /// ```
    public static func merge(
        _ sources: [SharedSequence<SharingStrategy, Element>]
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(.merge(sources.map(\.source)), .of(sources.map(\.confinement)))
    }

    /// Merges the sequences. Completes when all have.
    ///
    /// ```
    /// first                 --1-----3-|
    /// second                ----2--|
    /// merge(first, second)  --1-2---3-|
    /// ```
    public static func merge(
        _ sources: SharedSequence<SharingStrategy, Element>...
    ) -> SharedSequence<SharingStrategy, Element> {
        merge(sources)
    }

    /// Combines the latest elements of any number of sources with `resultSelector`, at each new element once every
    /// source has one.
    ///
    /// ```
    /// first                                             --1-----3--|
    /// second                                            ----2-|
    /// combineLatest([first, second]) { $0[0] + $0[1] }  ----3---5--|
    /// ```
    public static func combineLatest<Sources: Collection, Result: RxSendable>(
        _ collection: Sources, resultSelector: @escaping MainClosure<[Element], Result>
    ) -> SharedSequence<SharingStrategy, Result>
    where Sources.Element == SharedSequence<SharingStrategy, Element> {
        let confinement = Confinement.of(collection.map(\.confinement))
        return SharedSequence<SharingStrategy, Result>(
            .combineLatest(collection.map(\.source), resultSelector: confinement.confine(resultSelector)), confinement)
    }

    /// Combines the latest elements of any number of sources in an array, at each new element once every source has
    /// one.
    ///
    /// ```
    /// first                           --1-------3------|
    /// second                          ----2-|
    /// combineLatest([first, second])  ----[1,2]-[3,2]--|
    /// ```
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources
    ) -> SharedSequence<SharingStrategy, [Element]>
    where Sources.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence<SharingStrategy, [Element]>(
            .combineLatest(collection.map(\.source), resultSelector: { $0 }), .of(collection.map(\.confinement)))
    }

    /// Combines corresponding elements of any number of sources with `resultSelector`.
    ///
    /// ```
    /// first                                   --1-----3--|
    /// second                                  ----2-4--|
    /// zip([first, second]) { $0[0] + $0[1] }  ----3---7--|
    /// ```
    public static func zip<Sources: Collection, Result: RxSendable>(
        _ collection: Sources, resultSelector: @escaping MainClosure<[Element], Result>
    ) -> SharedSequence<SharingStrategy, Result>
    where Sources.Element == SharedSequence<SharingStrategy, Element> {
        let confinement = Confinement.of(collection.map(\.confinement))
        return SharedSequence<SharingStrategy, Result>(
            .zip(collection.map(\.source), resultSelector: confinement.confine(resultSelector)), confinement)
    }

    /// Combines corresponding elements of any number of sources in an array.
    ///
    /// ```
    /// first                 --1-------3------|
    /// second                ----2-4--|
    /// zip([first, second])  ----[1,2]-[3,4]--|
    /// ```
    public static func zip<Sources: Collection>(_ collection: Sources) -> SharedSequence<SharingStrategy, [Element]>
    where Sources.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence<SharingStrategy, [Element]>(
            .zip(collection.map(\.source), resultSelector: { $0 }), .of(collection.map(\.confinement)))
    }

    /// Emits `resultSelector` of each element and the latest of `second`. Drops elements before the first of `second`.
    ///
    /// ```
    /// source                              --1-----2--|
    /// second                              ----5------
    /// withLatestFrom(second) { $0 + $1 }  --------7--|
    /// ```
    public func withLatestFrom<Second: SharedSequenceConvertibleType, Result: RxSendable>(
        _ second: Second, resultSelector: @escaping MainClosure<Element, Second.Element, Result>
    ) -> SharedSequence<SharingStrategy, Result> where Second.SharingStrategy == SharingStrategy {
        lift { $0.withLatestFrom(second.asObservable(), resultSelector: $1.confine(resultSelector)) }
    }

    /// Emits the latest element of `second` at each element. Drops elements before the first of `second`.
    ///
    /// ```
    /// source                  --1-----2--|
    /// second                  ----5------
    /// withLatestFrom(second)  --------5--|
    /// ```
    public func withLatestFrom<Second: SharedSequenceConvertibleType>(
        _ second: Second
    ) -> SharedSequence<SharingStrategy, Second.Element> {
        lift { source, _ in source.withLatestFrom(second.asObservable()) }
    }
}

extension Sequence where Self: RxSendable {
    /// The observables of the sequences, each requested only when its turn comes.
    fileprivate func lazySources<Strategy, Inner>() -> LazySources<Self, Strategy, Inner>
    where Element == SharedSequence<Strategy, Inner> {
        LazySources(sequences: self)
    }
}

/// The observables of shared sequences, each requested only when its turn comes; the sequence may be infinite.
private struct LazySources<Sequences: Sequence & RxSendable, Strategy: SharingStrategyProtocol, Element: RxSendable>:
    Sequence, Sendable
where Sequences.Element == SharedSequence<Strategy, Element> {
    let sequences: Sequences

    struct Iterator: IteratorProtocol {
        var sequences: Sequences.Iterator

        mutating func next() -> Observable<Element>? { sequences.next()?.source }
    }

    func makeIterator() -> Iterator { Iterator(sequences: sequences.makeIterator()) }
}
