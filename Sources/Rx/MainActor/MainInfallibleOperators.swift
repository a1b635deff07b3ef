// The operators whose result stays on the main thread; they correspond to those of `MainObservable`.

extension MainInfallible {
    /// Transforms each element on the main thread.
    ///
    /// ```
    /// source           --1--2--|
    /// map { $0 * 10 }  --10-20-|
    /// ```
    @inlinable
    public func map<Result: RxSendable>(
        _ transform: @escaping MainClosure<Element, Result>
    ) -> MainInfallible<Result> {
        MainInfallible<Result>(main.map(transform))
    }

    /// Emits the elements for which `predicate`, called on the main thread, holds.
    ///
    /// ```
    /// source             --1--2--|
    /// filter { $0 > 1 }  -----2--|
    /// ```
    @inlinable
    public func filter(_ predicate: @escaping MainClosure<Element, Bool>) -> MainInfallible<Element> {
        MainInfallible(main.filter(predicate))
    }

    /// Emits the non-nil results of `transform`, called on the main thread.
    ///
    /// ```
    /// source                  --7--x--9--|
    /// compactMap { Int($0) }  --7-----9--|
    /// ```
    @inlinable
    public func compactMap<Result: RxSendable>(
        _ transform: @escaping MainClosure<Element, Result?>
    ) -> MainInfallible<Result> {
        MainInfallible<Result>(main.compactMap(transform))
    }

    /// Emits the running result of `accumulator`, called on the main thread.
    ///
    /// ```
    /// source               --1--2--3--|
    /// scan(0) { $0 + $1 }  --1--3--6--|
    /// ```
    @inlinable
    public func scan<Result: RxSendable>(
        _ seed: Result, accumulator: @escaping MainClosure<Result, Element, Result>
    ) -> MainInfallible<Result> {
        MainInfallible<Result>(main.scan(seed, accumulator: accumulator))
    }

    /// Emits the running result; `accumulator` changes it in place, on the main thread.
    ///
    /// ```
    /// source                      --1--2--3--|
    /// scan(into: 0) { $0 += $1 }  --1--3--6--|
    /// ```
    @inlinable
    public func scan<Result: RxSendable>(
        into seed: Result, accumulator: @escaping MainUpdate<Result, Element>
    ) -> MainInfallible<Result> {
        MainInfallible<Result>(main.scan(into: seed, accumulator: accumulator))
    }

    /// Emits the first `count` elements, then completes.
    ///
    /// ```
    /// source   --1--2--3--|
    /// take(2)  --1--(2|)
    /// ```
    public func take(_ count: Int) -> MainInfallible<Element> { MainInfallible(main.take(count)) }

    /// Drops the first `count` elements.
    ///
    /// ```
    /// source   --1--2--3--|
    /// skip(2)  --------3--|
    /// ```
    public func skip(_ count: Int) -> MainInfallible<Element> { MainInfallible(main.skip(count)) }

    /// Calls closures as events pass; those for events run on the main thread.
    ///
    /// ```
    /// source           --1--|
    /// do(onNext: log)  --1--|
    /// ```
    ///
    /// - Parameters:
    ///   - onNext: called before each element is sent.
    ///   - afterNext: called after each element is sent.
    ///   - onCompleted: called before the completion is sent.
    ///   - afterCompleted: called after the completion is sent.
    ///   - onSubscribe: called before the source is subscribed to, on any thread.
    ///   - onSubscribed: called after the source is subscribed to, on any thread.
    ///   - onDispose: called once, after the end is sent or when the subscription is disposed, on any thread.
    #if Migration
        @preconcurrency
    #endif
    public func `do`(
        onNext: MainClosure<Element, Void>? = nil,
        afterNext: MainClosure<Element, Void>? = nil,
        onCompleted: MainClosure<Void>? = nil,
        afterCompleted: MainClosure<Void>? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> MainInfallible<Element> {
        MainInfallible(
            main.do(
                onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }
}

extension MainInfallible {
    /// Drops elements that `comparer`, called on the main thread with the last emitted element and the current one,
    /// considers equal.
    ///
    /// ```
    /// source                                     --1--2--3--|
    /// distinctUntilChanged { $0 / 2 == $1 / 2 }  --1--2-----|
    /// ```
    public func distinctUntilChanged(
        _ comparer: @escaping MainClosure<Element, Element, Bool>
    ) -> MainInfallible<Element> {
        MainInfallible(main.distinctUntilChanged(comparer))
    }

    /// Drops elements whose key equals that of the last emitted one. The closure is called on the main thread.
    ///
    /// ```
    /// source                           --1--2--3--|
    /// distinctUntilChanged { $0 / 2 }  --1--2-----|
    /// ```
    public func distinctUntilChanged<Key: Equatable & RxSendable>(
        _ keySelector: @escaping MainClosure<Element, Key>
    ) -> MainInfallible<Element> {
        MainInfallible(main.distinctUntilChanged(keySelector))
    }

    /// Drops elements whose key `comparer`, called with that of the last emitted element and the current one, considers
    /// equal. The closures are called on the main thread.
    ///
    /// ```
    /// source                                          --1--2--3--|
    /// distinctUntilChanged({ $0 / 2 }, comparer: ==)  --1--2-----|
    /// ```
    public func distinctUntilChanged<Key: RxSendable>(
        _ keySelector: @escaping MainClosure<Element, Key>,
        comparer: @escaping MainClosure<Key, Key, Bool>
    ) -> MainInfallible<Element> {
        MainInfallible(main.distinctUntilChanged(keySelector, comparer: comparer))
    }

    /// Drops elements whose property at `keyPath` equals that of the last emitted one.
    ///
    /// ```
    /// source                             --a----b----cc---|
    /// distinctUntilChanged(at: \.count)  --a---------cc---|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func distinctUntilChanged<Property: Equatable & RxSendable>(
        at keyPath: any KeyPath<Element, Property> & Sendable
    ) -> MainInfallible<Element> {
        MainInfallible(main.distinctUntilChanged(at: keyPath))
    }
}

extension MainInfallible where Element: Equatable {
    /// Drops elements that equal the last emitted one.
    ///
    /// ```
    /// source                  --1--1--2--1--|
    /// distinctUntilChanged()  --1-----2--1--|
    /// ```
    public func distinctUntilChanged() -> MainInfallible<Element> { MainInfallible(main.distinctUntilChanged()) }
}
