extension ObservableType {
    /// Fails at once without an element.
    ///
    /// ```
    /// error(failure)  #
    /// ```
    public static func error(_ error: any Error) -> Observable<Element> { Failure(error) }
}

private final class Failure<Element: RxSendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let error: any Error

    init(_ error: any Error) {
        self.error = error
        super.init()
    }

    override var isScalar: Bool { true }

    override func run(_ stage: Stage<Element>) { stage.error(error) }
}
