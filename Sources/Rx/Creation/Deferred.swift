extension ObservableType {
    /// A sequence that `factory` creates for each subscriber. An error that `factory` throws goes to that subscriber.
    ///
    /// ```
    /// factory's           --1--2--|
    /// deferred(factory)   --1--2--|
    /// ```
    @inlinable
    public static func deferred(
        _ factory: @escaping @Sendable () throws -> Observable<Element>
    ) -> Observable<Element> {
        Deferred(factory)
    }
}

@usableFromInline
final class Deferred<Element: Sendable>: Producer<Element>, @unchecked Sendable {
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
