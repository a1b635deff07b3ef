extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Emits the element in a turn of `scheduler` and completes in the next.
    ///
    /// ```
    /// just(1, scheduler: s)  -(1|)
    /// ```
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Maybe<Element> {
        Maybe(raw: .just(element, scheduler: scheduler))
    }

    /// Calls closures as events pass. An error that they throw ends the sequence.
    ///
    /// ```
    /// source                --|
    /// do(onCompleted: log)  --|
    /// ```
    ///
    /// - Parameters:
    ///   - onNext: called before each element is sent.
    ///   - afterNext: called after each element is sent.
    ///   - onError: called before an error is sent.
    ///   - afterError: called after an error is sent.
    ///   - onCompleted: called before the completion is sent.
    ///   - afterCompleted: called after the completion is sent.
    ///   - onSubscribe: called before the source is subscribed to.
    ///   - onSubscribed: called after the source is subscribed to.
    ///   - onDispose: called once, after the end is sent or when the subscription is disposed.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Maybe<Element> {
        Maybe(
            raw: primitiveSequence.source.do(
                onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
                onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
                onSubscribed: onSubscribed, onDispose: onDispose))
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
    ) -> Maybe<Result> {
        Maybe(raw: primitiveSequence.source.map(transform))
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

    /// Mirrors the maybe that `selector` returns for the element; completes if there is no element. An error ends the
    /// sequence.
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
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        Maybe(raw: primitiveSequence.source.flatMap(selector))
    }

    /// Emits `default` if there is no element.
    ///
    /// ```
    /// source               --|
    /// ifEmpty(default: 0)  --(0|)
    /// ```
    public func ifEmpty(default: Element) -> Single<Element> {
        Single(raw: primitiveSequence.source.ifEmpty(default: `default`))
    }

    /// Continues with `other` if there is no element.
    ///
    /// ```
    /// source                    --|
    /// other                       -(2|)
    /// ifEmpty(switchTo: other)  ---(2|)
    /// ```
    public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
        Maybe(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
    }

    /// Continues with `other`, which has an element, if there is none.
    ///
    /// ```
    /// source                     --|
    /// single                       -(2|)
    /// ifEmpty(switchTo: single)  ---(2|)
    /// ```
    public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
        Single(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
    }

    /// Replaces an error with `element`.
    ///
    /// ```
    /// source             --#
    /// catchAndReturn(0)  --(0|)
    /// ```
    @inlinable
    public func catchAndReturn(_ element: Element) -> Maybe<Element> {
        Maybe(raw: primitiveSequence.source.catchAndReturn(element))
    }
}
