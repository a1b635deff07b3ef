extension ObservableType {
    /// Subscribes again each time the sequence fails, without a limit. Never fails.
    ///
    /// ```
    /// source         --1--#
    /// source, again       --1--2--|
    /// retry()        --1----1--2--|
    /// ```
    public func retry() -> Observable<Element> {
        CatchSequence(Successors.of(Endless(source: asObservable())))
    }

    /// Subscribes again when the sequence fails, at most `maxAttemptCount` times in total; the last error ends the
    /// sequence.
    ///
    /// ```
    /// source         --1--#
    /// source, again       --1--#
    /// retry(2)       --1----1--#
    /// ```
    public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        precondition(maxAttemptCount >= 0, "a number of attempts is not negative")
        return CatchSequence(Successors.of(Swift.repeatElement(asObservable(), count: maxAttemptCount)))
    }

    /// Continues with the next sequence each time one fails, and completes when one completes. The error of the last
    /// one ends the sequence. Each is requested only after the previous one has failed, so the list may be infinite.
    ///
    /// ```
    /// first                             --1--#
    /// second                                 --2--|
    /// catch(sequence: [first, second])  --1----2--|
    /// ```
    public static func `catch`<Sources: Sequence & RxSendable>(sequence: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        CatchSequence(Successors.of(sequence))
    }
}

/// Repeats an observable infinitely.
struct Endless<Element: RxSendable>: Sequence, IteratorProtocol, Sendable {
    let source: Observable<Element>

    func next() -> Observable<Element>? { source }
}

private final class CatchSequence<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let makeSuccessors: @Sendable () -> Successors<Element>

    init(_ makeSuccessors: @escaping @Sendable () -> Successors<Element>) {
        self.makeSuccessors = makeSuccessors
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let succession = CatchSuccession(stage, makeSuccessors())
        stage.attach(succession)
        succession.advance()
    }
}

private final class CatchSuccession<Element: RxSendable>: Succession<Element>, @unchecked Sendable {
    // Unchecked: see `Succession`; a sequence sets `lastError` before it calls `advance`.
    var lastError: (any Error)?

    override func makeSink() -> Sink<Element> { CatchSequenceSink(downstream, self) }

    override func successors(in source: Observable<Element>) -> Successors<Element>? {
        (source as? CatchSequence<Element>)?.makeSuccessors()
    }

    override func ranOut() {
        if let lastError { downstream.error(lastError) } else { downstream.completed() }
    }
}

private final class CatchSequenceSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let succession: CatchSuccession<Element>

    init(_ downstream: Stage<Element>, _ succession: CatchSuccession<Element>) {
        self.succession = succession
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }

    override func failed(_ error: any Error) {
        succession.lastError = error
        succession.advance()
    }
}
