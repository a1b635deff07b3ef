internal import Synchronization

/// The deepest that sequences of sequences were nested in `concat`, `catch(sequence:)` and `retry` since this was last set:
/// how many iterators one subscription kept at a time. The last source of a collection takes the place of that, and
/// adds nothing.
public var maxTailRecursiveSinkStackSize: Int {
    get { deepestSuccession.load(ordering: .relaxed) }
    set { deepestSuccession.store(newValue, ordering: .relaxed) }
}

private let deepestSuccession = Atomic(0)

/// Sequences subscribed one after the other: `concat` goes on when one completes, `catch(sequence:)` when one fails.
///
/// In a loop: a million sequences that end at once need no deeper stack. A sequence that is itself a succession of the
/// same kind is taken apart, so that one that is defined by itself needs no deeper stack either.
class Succession<Element: Sendable>: DisposeBase, @unchecked Sendable {
    // Unchecked: what changes is changed by the one who is in the loop; `wanted` says who.
    final let downstream: Stage<Element>
    private let current = SerialDisposable()
    private var pending: [Successors<Element>]
    /// How many times to go on; who finds 0 does it for all.
    private let wanted = Atomic(0)

    init(_ downstream: Stage<Element>, _ first: Successors<Element>) {
        self.downstream = downstream
        pending = [first]
        super.init()
    }

    /// Attach it, then call this once, then at the end of each sequence.
    final func advance() {
        if wanted.add(1, ordering: .acquiringAndReleasing).oldValue != 0 { return }
        repeat {
            if current.isDisposed { return }
            guard let source = nextSource() else { return ranOut() }
            let sink = makeSink()
            // Disposes the one before.
            current.disposable = sink
            source.subscribe(into: sink)
        } while wanted.subtract(1, ordering: .acquiringAndReleasing).newValue != 0
    }

    override func dispose() { current.dispose() }

    /// The sink of one sequence; it calls `advance()`, or ends what is below.
    func makeSink() -> Sink<Element> { preconditionFailure("a succession makes its sinks") }

    /// The sequences that `source` consists of, when it is a succession of the same kind.
    func successors(in source: Observable<Element>) -> Successors<Element>? { nil }

    /// There is no sequence left.
    func ranOut() { preconditionFailure("a succession ends") }

    private func nextSource() -> Observable<Element>? {
        while let last = pending.last {
            guard let source = last.next() else {
                pending.removeLast()
                continue
            }
            if last.isExhausted { pending.removeLast() }
            guard let nested = successors(in: source) else { return source }
            pending.append(nested)
            deepestSuccession.max(pending.count, ordering: .relaxed)
        }
        return nil
    }
}

/// The sequences of a succession, one by one.
class Successors<Element: Sendable> {
    func next() -> Observable<Element>? { nil }

    /// Whether it is known, without asking for it, that there is no next one.
    var isExhausted: Bool { false }

    /// Makes the iterators of a sequence.
    static func of<Sources: Sequence & Sendable>(_ sources: Sources) -> @Sendable () -> Successors<Element>
    where Sources.Element == Observable<Element> {
        { SequenceSuccessors(sources.makeIterator()) }
    }

    /// Makes the iterators of a collection.
    static func of<Sources: Collection & Sendable>(_ sources: Sources) -> @Sendable () -> Successors<Element>
    where Sources.Element == Observable<Element> {
        { CollectionSuccessors(sources) }
    }
}

final class SequenceSuccessors<Element: Sendable, Sources: IteratorProtocol>: Successors<Element>
where Sources.Element == Observable<Element> {
    private var sources: Sources

    init(_ sources: Sources) {
        self.sources = sources
    }

    override func next() -> Observable<Element>? { sources.next() }
}

private final class CollectionSuccessors<Element: Sendable, Sources: Collection>: Successors<Element>
where Sources.Element == Observable<Element> {
    private let sources: Sources
    private var index: Sources.Index

    init(_ sources: Sources) {
        self.sources = sources
        index = sources.startIndex
    }

    override func next() -> Observable<Element>? {
        if isExhausted { return nil }
        defer { sources.formIndex(after: &index) }
        return sources[index]
    }

    override var isExhausted: Bool { index == sources.endIndex }
}
