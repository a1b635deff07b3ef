extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Emits the element in a turn of `scheduler` and completes in the next.
    ///
    /// ```
    /// just(1, scheduler: s)  -(1|)
    /// ```
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Single<Element> {
        Single(raw: .just(element, scheduler: scheduler))
    }

    /// Calls closures as the event passes. An error that they throw ends the sequence.
    ///
    /// ```
    /// source              --(1|)
    /// do(onSuccess: log)  --(1|)
    /// ```
    ///
    /// - Parameters:
    ///   - onSuccess: called before the element is sent.
    ///   - afterSuccess: called after the element is sent.
    ///   - onError: called before an error is sent.
    ///   - afterError: called after an error is sent.
    ///   - onSubscribe: called before the source is subscribed to.
    ///   - onSubscribed: called after the source is subscribed to.
    ///   - onDispose: called once, after the event is sent or when the subscription is disposed.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func `do`(
        onSuccess: (@Sendable (Element) throws -> Void)? = nil,
        afterSuccess: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Single<Element> {
        Single(
            raw: primitiveSequence.source.do(
                onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Emits the element if `predicate` holds for it, otherwise completes without one. An error that it throws ends the
    /// sequence.
    ///
    /// ```
    /// source             --(1|)
    /// filter { $0 > 1 }  --|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        Maybe(raw: primitiveSequence.source.filter(predicate))
    }

    /// Transforms the element. An error that `transform` throws ends the sequence.
    ///
    /// ```
    /// source           --(1|)
    /// map { $0 * 10 }  --(10|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func map<Result: RxSendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Single<Result> {
        Single(raw: primitiveSequence.source.map(transform))
    }

    /// Emits the result of `transform`, or completes without an element if it is nil. An error that it throws ends the
    /// sequence.
    ///
    /// ```
    /// source                  --(x|)
    /// compactMap { Int($0) }  --|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func compactMap<Result: RxSendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Maybe<Result> {
        Maybe(raw: primitiveSequence.source.compactMap(transform))
    }

    /// Mirrors the single that `selector` returns for the element. An error ends the sequence.
    ///
    /// ```
    /// source                 --(1|)
    /// inner(1)                 --(2|)
    /// flatMap { inner($0) }  ----(2|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func flatMap<Result: RxSendable>(
        _ selector: @escaping @Sendable (Element) throws -> Single<Result>
    ) -> Single<Result> {
        Single(raw: primitiveSequence.source.flatMap(selector))
    }

    /// Mirrors the maybe that `selector` returns for the element. An error ends the sequence.
    ///
    /// ```
    /// source                      --(1|)
    /// inner(1)                      --|
    /// flatMapMaybe { inner($0) }  ----|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func flatMapMaybe<Result: RxSendable>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        Maybe(raw: primitiveSequence.source.flatMap(selector))
    }

    /// Mirrors the completable that `selector` returns for the element. An error ends the sequence.
    ///
    /// ```
    /// source                            --(1|)
    /// inner(1)                            --|
    /// flatMapCompletable { inner($0) }  ----|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func flatMapCompletable(
        _ selector: @escaping @Sendable (Element) throws -> Completable
    ) -> Completable {
        Completable(raw: primitiveSequence.source.flatMap(selector))
    }

    /// Replaces an error with `element`.
    ///
    /// ```
    /// source             --#
    /// catchAndReturn(0)  --(0|)
    /// ```
    @inlinable
    public func catchAndReturn(_ element: Element) -> Single<Element> {
        Single(raw: primitiveSequence.source.catchAndReturn(element))
    }

    /// The sequence as a `Maybe`.
    ///
    /// ```
    /// source     --(1|)
    /// asMaybe()  --(1|)
    /// ```
    @inlinable
    public func asMaybe() -> Maybe<Element> { Maybe(raw: primitiveSequence.source) }

    /// Completes without the element. An error ends the sequence.
    ///
    /// ```
    /// source           --(1|)
    /// asCompletable()  --|
    /// ```
    public func asCompletable() -> Completable { Completable(raw: primitiveSequence.source.ignoreElements()) }
}
