extension ObservableType {
    /// Emits no event and never ends.
    ///
    /// ```
    /// never()  ----
    /// ```
    public static func never() -> Observable<Element> { NeverProducer() }
}

private final class NeverProducer<Element: RxSendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    override func run(_ stage: Stage<Element>) {}
}
