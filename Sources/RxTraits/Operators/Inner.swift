public import Rx

// Sequences of sequences. The result has the strategy of the inner ones.

extension SharedSequenceConvertibleType {
    /// Merges the sequences that `selector` returns for the elements.
    ///
    /// ```
    /// source                 --1-----2----|
    /// inner(1)                 -3---4|
    /// inner(2)                       -5-|
    /// flatMap { inner($0) }  ---3---4-5---|
    /// ```
    public func flatMap<Sharing: SharingStrategyProtocol, Result: RxSendable>(
        _ selector: @escaping MainClosure<Element, SharedSequence<Sharing, Result>>
    ) -> SharedSequence<Sharing, Result> {
        lift(to: Sharing.self) { $0.flatMap($1.confine(selector)) }
    }

    /// Mirrors the sequence that `selector` returns for the latest element and disposes the previous one.
    ///
    /// ```
    /// source                       --1-----2----|
    /// inner(1)                       -3-----4|
    /// inner(2)                             -5-6|
    /// flatMapLatest { inner($0) }  ---3-----5-6-|
    /// ```
    public func flatMapLatest<Sharing: SharingStrategyProtocol, Result: RxSendable>(
        _ selector: @escaping MainClosure<Element, SharedSequence<Sharing, Result>>
    ) -> SharedSequence<Sharing, Result> {
        lift(to: Sharing.self) { $0.flatMapLatest($1.confine(selector)) }
    }

    /// Mirrors the sequence that `selector` returns for an element. Drops elements that arrive before that sequence
    /// ends.
    ///
    /// ```
    /// source                      --1--2-----3---|
    /// inner(1)                      -4---5|
    /// inner(3)                               -6-|
    /// flatMapFirst { inner($0) }  ---4---5----6--|
    /// ```
    public func flatMapFirst<Sharing: SharingStrategyProtocol, Result: RxSendable>(
        _ selector: @escaping MainClosure<Element, SharedSequence<Sharing, Result>>
    ) -> SharedSequence<Sharing, Result> {
        lift(to: Sharing.self) { $0.flatMapFirst($1.confine(selector)) }
    }
}

extension SharedSequenceConvertibleType where Element: SharedSequenceConvertibleType {
    /// Mirrors the latest inner sequence and disposes the previous one.
    ///
    /// ```
    /// source          --first--second--|
    /// first             --1--2--3--4-|
    /// second                   ---5---6--|
    /// switchLatest()  ----1--2----5---6--|
    /// ```
    public func switchLatest() -> SharedSequence<Element.SharingStrategy, Element.Element> {
        lift(to: Element.SharingStrategy.self) { source, _ in source.switchLatest() }
    }

    /// Merges the inner sequences.
    ///
    /// ```
    /// source   -first-second-|
    /// first     -1-----2--|
    /// second          ---3---4--|
    /// merge()  --1-----2-3---4--|
    /// ```
    public func merge() -> SharedSequence<Element.SharingStrategy, Element.Element> {
        lift(to: Element.SharingStrategy.self) { source, _ in source.merge() }
    }

    /// Merges the inner sequences, at most `maxConcurrent` at a time; the others wait in order.
    ///
    /// ```
    /// source                   -first-second-|
    /// first                     -1-----2--|
    /// second                              --3----4--|
    /// merge(maxConcurrent: 1)  --1-----2----3----4--|
    /// ```
    public func merge(maxConcurrent: Int) -> SharedSequence<Element.SharingStrategy, Element.Element> {
        lift(to: Element.SharingStrategy.self) { source, _ in source.merge(maxConcurrent: maxConcurrent) }
    }
}
