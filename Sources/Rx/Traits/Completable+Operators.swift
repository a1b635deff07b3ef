extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// The same completable, with closures called as its event passes; what they throw is its error.
    ///
    /// ```
    /// source              --|
    /// do(onCompleted: f)  --|   f called at the end, before it is handed on
    /// ```
    ///
    /// - Parameter onDispose: called once, after the event was handed on or when the subscription is disposed.
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

    /// This, then, when it is done, `second`.
    ///
    /// ```
    /// this    --|
    /// second    --|
    /// concat  ----|
    /// ```
    public func concat(_ second: Completable) -> Completable { .concat(primitiveSequence, second) }

    /// These one after the other, each subscribed when the one before is done.
    ///
    /// ```
    /// first   --|
    /// second    --|
    /// concat  ----|
    /// ```
    public static func concat<Sources: Sequence & Sendable>(_ sequence: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: .concat(RawSequence(traits: sequence)))
    }

    /// These one after the other, each subscribed when the one before is done.
    ///
    /// ```
    /// first   --|
    /// second    --|
    /// concat  ----|
    /// ```
    public static func concat<Sources: Collection & Sendable>(_ collection: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: .concat(RawSequence(traits: collection)))
    }

    /// These one after the other, each subscribed when the one before is done.
    ///
    /// ```
    /// first   --|
    /// second    --|
    /// concat  ----|
    /// ```
    public static func concat(_ sources: Completable...) -> Completable {
        Completable(raw: .concat(sources.map(\.source)))
    }

    /// All of these at once; done when all are. The first error is the error, and disposes the others.
    ///
    /// ```
    /// first   --|
    /// second  ----|
    /// zip     ----|
    /// ```
    public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
    where Sources.Element == Completable {
        Completable(raw: .merge(sources.map(\.source)))
    }

    /// All of these at once; done when all are. The first error is the error, and disposes the others.
    ///
    /// ```
    /// first   --|
    /// second  ----|
    /// zip     ----|
    /// ```
    public static func zip(_ sources: [Completable]) -> Completable {
        Completable(raw: .merge(sources.map(\.source)))
    }

    /// All of these at once; done when all are. The first error is the error, and disposes the others.
    ///
    /// ```
    /// first   --|
    /// second  ----|
    /// zip     ----|
    /// ```
    public static func zip(_ sources: Completable...) -> Completable {
        Completable(raw: .merge(sources.map(\.source)))
    }
}

/// The observables of traits, each asked for when its turn has come: the sequence may be endless.
private struct RawSequence<Traits: Sequence & Sendable>: Sequence, Sendable where Traits.Element == Completable {
    let traits: Traits

    struct Iterator: IteratorProtocol {
        var traits: Traits.Iterator

        mutating func next() -> Observable<Never>? { traits.next()?.source }
    }

    func makeIterator() -> Iterator { Iterator(traits: traits.makeIterator()) }
}
