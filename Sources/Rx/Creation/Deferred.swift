extension ObservableType {
    /// A sequence that `factory` creates for each subscriber. An error that `factory` throws goes to that subscriber.
    ///
    /// ```
    /// inner               --1--2--|
    /// deferred { inner }  --1--2--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public static func deferred(
        _ factory: @escaping @Sendable () throws -> Observable<Element>
    ) -> Observable<Element> {
        Deferred(factory)
    }
}

@usableFromInline
final class Deferred<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let factory: @Sendable () throws -> Observable<Element>

    @usableFromInline
    init(_ factory: @escaping @Sendable () throws -> Observable<Element>) {
        self.factory = factory
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        do {
            try factory().run(stage)
        } catch {
            stage.error(error)
        }
    }
}
