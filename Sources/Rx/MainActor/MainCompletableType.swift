// The operators of `MainCompletable` whose result is a plain trait.

extension MainPrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Calls closures, on the main thread, as the event passes. An error that they throw ends the sequence.
    ///
    /// ```
    /// source                --|
    /// do(onCompleted: log)  --|
    /// ```
    ///
    /// - Parameters:
    ///   - onError: called before an error is sent.
    ///   - afterError: called after an error is sent.
    ///   - onCompleted: called before the completion is sent.
    ///   - afterCompleted: called after the completion is sent.
    ///   - onSubscribe: called before the source is subscribed to, on any thread.
    ///   - onSubscribed: called after the source is subscribed to, on any thread.
    ///   - onDispose: called once, after the event is sent or when the subscription is disposed, on any thread.
    #if Migration
        @preconcurrency
    #endif
    public func `do`(
        onError: ThrowingMainClosure<any Error, Void>? = nil,
        afterError: ThrowingMainClosure<any Error, Void>? = nil,
        onCompleted: ThrowingMainClosure<Void>? = nil,
        afterCompleted: ThrowingMainClosure<Void>? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Completable {
        let result: MainCompletable = mainSequence.do(
            onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted,
            onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose)
        return result.primitiveSequence
    }
}
