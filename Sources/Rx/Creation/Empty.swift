extension ObservableType {
    /// No element: the end at once.
    ///
    /// ```
    /// empty()  |
    /// ```
    public static func empty() -> Observable<Element> { Empty() }
}

private final class Empty<Element: Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    override func run(_ stage: Stage<Element>) { stage.completed() }
}
