public import Rx

// One element at a time.

extension SharedSequenceConvertibleType {
    /// Transforms each element.
    ///
    /// ```
    /// source           --1--2--|
    /// map { $0 * 10 }  --10-20-|
    /// ```
    public func map<Result: RxSendable>(
        _ selector: @escaping MainClosure<Element, Result>
    ) -> SharedSequence<SharingStrategy, Result> {
        lift { $0.map($1.confine(selector)) }
    }

    /// Emits the non-nil results of `selector`.
    ///
    /// ```
    /// source                                 --1--2--3--|
    /// compactMap { $0 % 2 == 1 ? $0 : nil }  --1-----3--|
    /// ```
    public func compactMap<Result: RxSendable>(
        _ selector: @escaping MainClosure<Element, Result?>
    ) -> SharedSequence<SharingStrategy, Result> {
        lift { $0.compactMap($1.confine(selector)) }
    }

    /// Emits the elements for which `predicate` holds.
    ///
    /// ```
    /// source             --1--2--|
    /// filter { $0 > 1 }  -----2--|
    /// ```
    public func filter(
        _ predicate: @escaping MainClosure<Element, Bool>
    ) -> SharedSequence<SharingStrategy, Element> {
        lift { $0.filter($1.confine(predicate)) }
    }

    /// Emits the running result of `accumulator` for each element.
    ///
    /// ```
    /// source               --1--2--3--|
    /// scan(0) { $0 + $1 }  --1--3--6--|
    /// ```
    public func scan<Result: RxSendable>(
        _ seed: Result, accumulator: @escaping MainClosure<Result, Element, Result>
    ) -> SharedSequence<SharingStrategy, Result> {
        lift { $0.scan(seed, accumulator: $1.confine(accumulator)) }
    }

    /// Emits the running result for each element; `accumulator` changes it in place.
    ///
    /// ```
    /// source                      --1--2--3--|
    /// scan(into: 0) { $0 += $1 }  --1--3--6--|
    /// ```
    public func scan<Result: RxSendable>(
        into seed: Result, accumulator: @escaping MainUpdate<Result, Element>
    ) -> SharedSequence<SharingStrategy, Result> {
        lift { $0.scan(into: seed, accumulator: $1.confine(accumulator)) }
    }

    /// Drops the first `count` elements.
    ///
    /// ```
    /// source   --1--2--3--|
    /// skip(2)  --------3--|
    /// ```
    public func skip(_ count: Int) -> SharedSequence<SharingStrategy, Element> {
        lift { source, _ in source.skip(count) }
    }

    /// Emits `element`, then the sequence. A subscriber gets `element` before `drive` or `emit` returns.
    ///
    /// ```
    /// source        -----1--|
    /// startWith(8)  8----1--|
    /// ```
    public func startWith(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
        lift { source, _ in source.startWith(element) }
    }

    /// Drops elements whose key equals that of the last emitted one.
    ///
    /// ```
    /// source                           --1--2--3--|
    /// distinctUntilChanged { $0 / 2 }  --1--2-----|
    /// ```
    public func distinctUntilChanged<Key: Equatable & RxSendable>(
        _ keySelector: @escaping MainClosure<Element, Key>
    ) -> SharedSequence<SharingStrategy, Element> {
        lift { $0.distinctUntilChanged($1.confine(keySelector)) }
    }

    /// Drops elements that `comparer`, called with the last emitted element and the current one, considers equal.
    ///
    /// ```
    /// source                                     --1--2--3--|
    /// distinctUntilChanged { $0 / 2 == $1 / 2 }  --1--2-----|
    /// ```
    public func distinctUntilChanged(
        _ comparer: @escaping MainClosure<Element, Element, Bool>
    ) -> SharedSequence<SharingStrategy, Element> {
        lift { $0.distinctUntilChanged($1.confine(comparer)) }
    }

    /// Drops elements whose key `comparer`, called with that of the last emitted element and the current one, considers
    /// equal.
    ///
    /// ```
    /// source                                          --1--2--3--|
    /// distinctUntilChanged({ $0 / 2 }, comparer: ==)  --1--2-----|
    /// ```
    public func distinctUntilChanged<Key: RxSendable>(
        _ keySelector: @escaping MainClosure<Element, Key>,
        comparer: @escaping MainClosure<Key, Key, Bool>
    ) -> SharedSequence<SharingStrategy, Element> {
        lift { $0.distinctUntilChanged($1.confine(keySelector), comparer: $1.confine(comparer)) }
    }
}

extension SharedSequenceConvertibleType where Element: Equatable {
    /// Drops elements that equal the last emitted one.
    ///
    /// ```
    /// source                  --1--1--2--1--|
    /// distinctUntilChanged()  --1-----2--1--|
    /// ```
    public func distinctUntilChanged() -> SharedSequence<SharingStrategy, Element> {
        lift { source, _ in source.distinctUntilChanged() }
    }
}
