extension ObservableType {
    /// Completes at once without an element.
    ///
    /// ```
    /// empty()  |
    /// ```
    public static func empty() -> Observable<Element> { Empty() }
}

private final class Empty<Element: RxSendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    override var isScalar: Bool { true }

    override func run(_ stage: Stage<Element>) { stage.completed() }
}
