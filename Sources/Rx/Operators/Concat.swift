extension ObservableType {
    /// Emits the sequence, then, after its completion, `second`. The first error ends the sequence.
    ///
    /// ```
    /// source          --1--2--|
    /// second                  --3--|
    /// concat(second)  --1--2----3--|
    /// ```
    public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Element>
    where Source.Element == Element {
        concat(second.asObservable())
    }

    /// Emits the sequence, then, after its completion, `second`. This overload accepts `.just(1)`, `.empty()`, and
    /// similar expressions.
    ///
    /// ```
    /// source          --1--2--|
    /// second                  --3--|
    /// concat(second)  --1--2----3--|
    /// ```
    public func concat(_ second: Observable<Element>) -> Observable<Element> {
        Concat(Successors.of([asObservable(), second]))
    }

    /// Emits the sequences one after the other. Each is requested and subscribed to after the previous one completes.
    /// The first error ends the sequence.
    ///
    /// ```
    /// first                                --1--2--|
    /// second                                       -3--|
    /// concat(sequence(of: first, second))  --1--2---3--|
    /// ```
    public static func concat<Sources: Sequence & RxSendable>(_ sequence: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        Concat(Successors.of(sequence))
    }

    /// Emits the sequences one after the other. Each is subscribed to after the previous one completes. The first error
    /// ends the sequence.
    ///
    /// ```
    /// first                    --1--2--|
    /// second                           -3--|
    /// concat([first, second])  --1--2---3--|
    /// ```
    public static func concat<Sources: Collection & RxSendable>(_ collection: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        Concat(Successors.of(collection))
    }

    /// Emits the sequences one after the other. Each is subscribed to after the previous one completes. The first error
    /// ends the sequence.
    ///
    /// ```
    /// first                  --1--2--|
    /// second                         -3--|
    /// concat(first, second)  --1--2---3--|
    /// ```
    public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
        Concat(Successors.of(sources))
    }
}

private final class Concat<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let makeSuccessors: @Sendable () -> Successors<Element>

    init(_ makeSuccessors: @escaping @Sendable () -> Successors<Element>) {
        self.makeSuccessors = makeSuccessors
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let succession = ConcatSuccession(stage, makeSuccessors())
        stage.attach(succession)
        succession.advance()
    }
}

private final class ConcatSuccession<Element: RxSendable>: Succession<Element>, @unchecked Sendable {
    // Unchecked: see `Succession`.
    override func makeSink() -> Sink<Element> { ConcatSink(downstream, self) }

    override func successors(in source: Observable<Element>) -> Successors<Element>? {
        (source as? Concat<Element>)?.makeSuccessors()
    }

    override func ranOut() { downstream.completed() }
}

private final class ConcatSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let succession: Succession<Element>

    init(_ downstream: Stage<Element>, _ succession: Succession<Element>) {
        self.succession = succession
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }

    override func finished() { succession.advance() }
}
