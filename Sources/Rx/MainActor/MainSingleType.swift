// The operators of `MainSingle` whose result is a plain trait.

extension MainPrimitiveSequenceType where Trait == SingleTrait {
    /// Calls closures, on the main thread, as the event passes. An error that they throw ends the sequence.
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
    ///   - onSubscribe: called before the source is subscribed to, on any thread.
    ///   - onSubscribed: called after the source is subscribed to, on any thread.
    ///   - onDispose: called once, after the event is sent or when the subscription is disposed, on any thread.
    #if Migration
        @preconcurrency
    #endif
    public func `do`(
        onSuccess: ThrowingMainClosure<Element, Void>? = nil,
        afterSuccess: ThrowingMainClosure<Element, Void>? = nil,
        onError: ThrowingMainClosure<any Error, Void>? = nil,
        afterError: ThrowingMainClosure<any Error, Void>? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Single<Element> {
        let result: MainSingle<Element> = mainSequence.do(
            onSuccess: onSuccess, afterSuccess: afterSuccess, onError: onError, afterError: afterError,
            onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose)
        return result.primitiveSequence
    }

    /// Emits the element if `predicate`, called on the main thread, holds for it, otherwise completes without one. An
    /// error that it throws ends the sequence.
    ///
    /// ```
    /// source             --(1|)
    /// filter { $0 > 1 }  --|
    /// ```
    @inlinable
    public func filter(_ predicate: @escaping ThrowingMainClosure<Element, Bool>) -> Maybe<Element> {
        let result: MainMaybe<Element> = mainSequence.filter(predicate)
        return result.primitiveSequence
    }

    /// Transforms the element on the main thread. An error that `transform` throws ends the sequence.
    ///
    /// ```
    /// source           --(1|)
    /// map { $0 * 10 }  --(10|)
    /// ```
    @inlinable
    public func map<Result: RxSendable>(
        _ transform: @escaping ThrowingMainClosure<Element, Result>
    ) -> Single<Result> {
        let result: MainSingle<Result> = mainSequence.map(transform)
        return result.primitiveSequence
    }

    /// Emits the result of `transform`, called on the main thread, or completes without an element if it is nil. An
    /// error that it throws ends the sequence.
    ///
    /// ```
    /// source                  --(x|)
    /// compactMap { Int($0) }  --|
    /// ```
    @inlinable
    public func compactMap<Result: RxSendable>(
        _ transform: @escaping ThrowingMainClosure<Element, Result?>
    ) -> Maybe<Result> {
        let result: MainMaybe<Result> = mainSequence.compactMap(transform)
        return result.primitiveSequence
    }
}
