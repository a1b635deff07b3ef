// The operators whose result stays on the main thread: they send each event while they receive one.

extension MainObservable {
    /// Transforms each element on the main thread. An error that `transform` throws ends the sequence.
    ///
    /// ```
    /// source           --1--2--3--|
    /// map { $0 * 10 }  --10-20-30-|
    /// ```
    @inlinable
    public func map<Result: RxSendable>(
        _ transform: @escaping ThrowingMainClosure<Element, Result>
    ) -> MainObservable<Result> {
        MainObservable<Result>(source.map(confinement.confine(throwing: transform)), confinement)
    }

    /// Emits the elements for which `predicate`, called on the main thread, holds. An error that it throws ends the
    /// sequence.
    ///
    /// ```
    /// source             --1--2--3--|
    /// filter { $0 > 1 }  -----2--3--|
    /// ```
    @inlinable
    public func filter(_ predicate: @escaping ThrowingMainClosure<Element, Bool>) -> MainObservable<Element> {
        MainObservable(source.filter(confinement.confine(throwing: predicate)), confinement)
    }

    /// Emits the non-nil results of `transform`, called on the main thread. An error that it throws ends the sequence.
    ///
    /// ```
    /// source                  --7--x--9--|
    /// compactMap { Int($0) }  --7-----9--|
    /// ```
    @inlinable
    public func compactMap<Result: RxSendable>(
        _ transform: @escaping ThrowingMainClosure<Element, Result?>
    ) -> MainObservable<Result> {
        MainObservable<Result>(source.compactMap(confinement.confine(throwing: transform)), confinement)
    }

    /// Emits the running result of `accumulator`, called on the main thread. An error that it throws ends the sequence.
    ///
    /// ```
    /// source               --1--2--3--|
    /// scan(0) { $0 + $1 }  --1--3--6--|
    /// ```
    @inlinable
    public func scan<Result: RxSendable>(
        _ seed: Result, accumulator: @escaping ThrowingMainClosure<Result, Element, Result>
    ) -> MainObservable<Result> {
        MainObservable<Result>(
            source.scan(seed, accumulator: confinement.confine(throwing: accumulator)), confinement)
    }

    /// Emits the running result; `accumulator` changes it in place, on the main thread. An error that `accumulator`
    /// throws ends the sequence.
    ///
    /// ```
    /// source                            --1---2-----3-------|
    /// scan(into: []) { $0.append($1) }  --[1]-[1,2]-[1,2,3]-|
    /// ```
    @inlinable
    public func scan<Result: RxSendable>(
        into seed: Result, accumulator: @escaping ThrowingMainUpdate<Result, Element>
    ) -> MainObservable<Result> {
        MainObservable<Result>(
            source.scan(into: seed, accumulator: confinement.confine(throwing: accumulator)), confinement)
    }

    /// Emits the first `count` elements, then completes.
    ///
    /// ```
    /// source   --1--2--3--|
    /// take(2)  --1--(2|)
    /// ```
    public func take(_ count: Int) -> MainObservable<Element> {
        // Without a source, the completion would be sent wherever somebody subscribes.
        if count == 0 {
            let end: MainObservable<Element> = Observable.empty().observe(on: ConcurrentMainScheduler.instance)
            return MainObservable(end.source, confinement)
        }
        return MainObservable(source.take(count), confinement)
    }

    /// Drops the first `count` elements.
    ///
    /// ```
    /// source   --1--2--3--|
    /// skip(1)  -----2--3--|
    /// ```
    public func skip(_ count: Int) -> MainObservable<Element> { MainObservable(source.skip(count), confinement) }
}
