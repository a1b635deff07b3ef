internal import Synchronization

extension ObservableType {
    /// The sequence, then, when it has completed, `second`.
    public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Element>
    where Source.Element == Element {
        Concat([asObservable(), second.asObservable()])
    }

    /// The sequences one after the other, each subscribed when the one before has completed.
    public static func concat<Sources: Sequence & Sendable>(_ sequence: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        Concat(sequence)
    }

    /// The sequences one after the other, each subscribed when the one before has completed.
    public static func concat<Sources: Collection & Sendable>(_ collection: Sources) -> Observable<Element>
    where Sources.Element == Observable<Element> {
        Concat(collection)
    }

    /// The sequences one after the other, each subscribed when the one before has completed.
    public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
        Concat(sources)
    }
}

private final class Concat<Element: Sendable, Sources: Sequence & Sendable>: Producer<Element>, @unchecked Sendable
where Sources.Element == Observable<Element> {
    // Unchecked: see `Observable`.
    let sources: Sources

    init(_ sources: Sources) {
        self.sources = sources
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let queue = ConcatQueue(stage, sources.makeIterator())
        stage.attach(queue.current)
        queue.advance()
    }
}

/// Subscribes one source after the other, in a loop: a million sources that complete at once need no deeper stack.
private final class ConcatQueue<Element: Sendable, Sources: IteratorProtocol>: @unchecked Sendable
where Sources.Element == Observable<Element> {
    // Unchecked: the iterator is moved on by the one who is in the loop; `wanted` says who.
    let current = SerialDisposable()
    private let downstream: Stage<Element>
    private var sources: Sources
    /// How many times to advance; who finds 0 does it for all.
    private let wanted = Atomic(0)

    init(_ downstream: Stage<Element>, _ sources: Sources) {
        self.downstream = downstream
        self.sources = sources
    }

    func advance() {
        if wanted.add(1, ordering: .acquiringAndReleasing).oldValue != 0 { return }
        repeat {
            if current.isDisposed { return }
            guard let source = sources.next() else { return downstream.completed() }
            let sink = ConcatSink(downstream, self)
            current.disposable = sink
            source.run(sink)
        } while wanted.subtract(1, ordering: .acquiringAndReleasing).newValue != 0
    }
}

private final class ConcatSink<Element: Sendable, Sources: IteratorProtocol>: Valve<Element, Element>,
    @unchecked Sendable
where Sources.Element == Observable<Element> {
    // Unchecked: see `Stage`.
    private let queue: ConcatQueue<Element, Sources>

    init(_ downstream: Stage<Element>, _ queue: ConcatQueue<Element, Sources>) {
        self.queue = queue
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }

    override func finished() { queue.advance() }
}
