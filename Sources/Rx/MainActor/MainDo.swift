extension MainObservable {
    /// Calls closures as events pass; the sequence is otherwise unchanged. The closures for events run on the main
    /// thread.
    ///
    /// For each event, `on…` is called before the event is sent and `after…` after it. An error that they throw ends
    /// the sequence and is not passed to `onError`.
    ///
    /// ```
    /// source             --1-----2-----|
    /// do(onNext: print)  --1-----2-----|
    /// ```
    ///
    /// - Parameters:
    ///   - onNext: called before each element is sent.
    ///   - afterNext: called after each element is sent.
    ///   - onError: called before an error is sent.
    ///   - afterError: called after an error is sent.
    ///   - onCompleted: called before the completion is sent.
    ///   - afterCompleted: called after the completion is sent.
    ///   - onSubscribe: called before the source is subscribed to, on any thread.
    ///   - onSubscribed: called after the source is subscribed to, on any thread.
    ///   - onDispose: called once, last, after the source is disposed, on any thread.
    #if Migration
        @preconcurrency
    #endif
    public func `do`(
        onNext: ThrowingMainClosure<Element, Void>? = nil,
        afterNext: ThrowingMainClosure<Element, Void>? = nil,
        onError: ThrowingMainClosure<any Error, Void>? = nil,
        afterError: ThrowingMainClosure<any Error, Void>? = nil,
        onCompleted: ThrowingMainClosure<Void>? = nil,
        afterCompleted: ThrowingMainClosure<Void>? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> MainObservable<Element> {
        let main = confinement
        return MainObservable(
            source.do(
                onNext: main.confine(throwing: onNext), afterNext: main.confine(throwing: afterNext),
                onError: main.confine(throwing: onError), afterError: main.confine(throwing: afterError),
                onCompleted: main.confine(throwing: onCompleted),
                afterCompleted: main.confine(throwing: afterCompleted),
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose), confinement)
    }
}
