extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Calls closures as the event passes. An error that they throw ends the sequence.
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
    ///   - onSubscribe: called before the source is subscribed to.
    ///   - onSubscribed: called after the source is subscribed to.
    ///   - onDispose: called once, after the event is sent or when the subscription is disposed.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func `do`(
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Completable {
        Completable(
            raw: primitiveSequence.source.do(
                onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Runs this completable, then, after its completion, `second`. The first error ends the sequence.
    ///
    /// ```
    /// source          --|
    /// second            --|
    /// concat(second)  ----|
    /// ```
    public func concat(_ second: Completable) -> Completable { .concat(primitiveSequence, second) }

    /// Runs the completables one after the other. The first error ends the sequence.
    ///
    /// ```
    /// first                                --|
    /// second                                 --|
    /// concat(sequence(of: first, second))  ----|
    /// ```
    public static func concat<Sources: Sequence & RxSendable>(_ sequence: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: .concat(RawSequence(traits: sequence)))
    }

    /// Runs the completables one after the other. The first error ends the sequence.
    ///
    /// ```
    /// first                    --|
    /// second                     --|
    /// concat([first, second])  ----|
    /// ```
    public static func concat<Sources: Collection & RxSendable>(_ collection: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: .concat(RawSequence(traits: collection)))
    }

    /// Runs the completables one after the other. The first error ends the sequence.
    ///
    /// ```
    /// first                  --|
    /// second                   --|
    /// concat(first, second)  ----|
    /// ```
    public static func concat(_ sources: Completable...) -> Completable {
        Completable(raw: .concat(sources.map(\.source)))
    }

    /// Runs all completables concurrently and completes when all have. The first error ends the sequence and disposes
    /// the others.
    ///
    /// ```
    /// first                        --|
    /// second                       ----|
    /// zip(set(of: first, second))  ----|
    /// ```
    public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: .merge(sources.map(\.source)))
    }

    /// Runs all completables concurrently and completes when all have. The first error ends the sequence and disposes
    /// the others.
    ///
    /// ```
    /// first                 --|
    /// second                ----|
    /// zip([first, second])  ----|
    /// ```
    public static func zip(_ sources: [Completable]) -> Completable {
        Completable(raw: .merge(sources.map(\.source)))
    }

    /// Runs all completables concurrently and completes when all have. The first error ends the sequence and disposes
    /// the others.
    ///
    /// ```
    /// first               --|
    /// second              ----|
    /// zip(first, second)  ----|
    /// ```
    public static func zip(_ sources: Completable...) -> Completable {
        Completable(raw: .merge(sources.map(\.source)))
    }
}

/// The observables of traits, each requested only when its turn comes; the sequence may be infinite.
private struct RawSequence<Traits: Sequence & RxSendable>: Sequence, Sendable where Traits.Element == Completable {
    let traits: Traits

    struct Iterator: IteratorProtocol {
        var traits: Traits.Iterator

        mutating func next() -> Observable<Never>? { traits.next()?.source }
    }

    func makeIterator() -> Iterator { Iterator(traits: traits.makeIterator()) }
}
