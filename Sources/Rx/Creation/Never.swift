extension ObservableType {
    /// No event, ever.
    ///
    /// ```
    /// never()  ----
    /// ```
    public static func never() -> Observable<Element> { NeverProducer() }
}

private final class NeverProducer<Element: Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    override func run(_ stage: Stage<Element>) {}
}
