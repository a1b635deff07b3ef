/// A `MainInfallible`, whose operators here return a plain `Infallible`.
///
/// They have the same `@MainActor` closures as those of `MainInfallible`. The compiler selects them where a plain
/// `Infallible` is needed, such as before a `return`.
#if Migration
    @preconcurrency
#endif
public protocol MainInfallibleType<Element>: InfallibleType {
    /// The sequence, whose events arrive on the main thread.
    var mainInfallible: MainInfallible<Element> { get }
}

extension MainInfallible: MainInfallibleType {
    /// This sequence.
    public var mainInfallible: MainInfallible<Element> { self }
}

extension MainInfallibleType {
    /// Transforms each element on the main thread.
    ///
    /// ```
    /// source           --1--2--|
    /// map { $0 * 10 }  --10-20-|
    /// ```
    @inlinable
    public func map<Result: RxSendable>(
        _ transform: @escaping MainClosure<Element, Result>
    ) -> Infallible<Result> {
        let result: MainInfallible<Result> = mainInfallible.map(transform)
        return result.asInfallible()
    }

    /// Emits the elements for which `predicate`, called on the main thread, holds.
    ///
    /// ```
    /// source             --1--2--|
    /// filter { $0 > 1 }  -----2--|
    /// ```
    @inlinable
    public func filter(_ predicate: @escaping MainClosure<Element, Bool>) -> Infallible<Element> {
        let result: MainInfallible<Element> = mainInfallible.filter(predicate)
        return result.asInfallible()
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
    ) -> Infallible<Result> {
        let result: MainInfallible<Result> = mainInfallible.compactMap(transform)
        return result.asInfallible()
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
    ) -> Infallible<Result> {
        let result: MainInfallible<Result> = mainInfallible.scan(seed, accumulator: accumulator)
        return result.asInfallible()
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
    ) -> Infallible<Result> {
        let result: MainInfallible<Result> = mainInfallible.scan(into: seed, accumulator: accumulator)
        return result.asInfallible()
    }

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
    ) -> Infallible<Element> {
        let result: MainInfallible<Element> = mainInfallible.do(
            onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
            onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose)
        return result.asInfallible()
    }

    /// Drops elements that `comparer`, called on the main thread with the last emitted element and the current one,
    /// considers equal.
    ///
    /// ```
    /// source                                     --1--2--3--|
    /// distinctUntilChanged { $0 / 2 == $1 / 2 }  --1--2-----|
    /// ```
    public func distinctUntilChanged(
        _ comparer: @escaping MainClosure<Element, Element, Bool>
    ) -> Infallible<Element> {
        let result: MainInfallible<Element> = mainInfallible.distinctUntilChanged(comparer)
        return result.asInfallible()
    }

    /// Drops elements whose key equals that of the last emitted one. The closure is called on the main thread.
    ///
    /// ```
    /// source                           --1--2--3--|
    /// distinctUntilChanged { $0 / 2 }  --1--2-----|
    /// ```
    public func distinctUntilChanged<Key: Equatable & RxSendable>(
        _ keySelector: @escaping MainClosure<Element, Key>
    ) -> Infallible<Element> {
        let result: MainInfallible<Element> = mainInfallible.distinctUntilChanged(keySelector)
        return result.asInfallible()
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
    ) -> Infallible<Element> {
        let result: MainInfallible<Element> = mainInfallible.distinctUntilChanged(keySelector, comparer: comparer)
        return result.asInfallible()
    }
}
