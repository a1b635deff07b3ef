internal import Synchronization

/// The greatest nesting depth of sequences in `concat`, `catch(sequence:)`, and `retry` since this was last set: how
/// many iterators one subscription held at a time. The last source of a collection replaces the collection and adds no
/// depth.
public var maxTailRecursiveSinkStackSize: Int {
    get { deepestSuccession.load(ordering: .relaxed) }
    set { deepestSuccession.store(newValue, ordering: .relaxed) }
}

private let deepestSuccession = Atomic(0)

/// Sequences subscribed to one after the other: `concat` continues after a completion, `catch(sequence:)` after an
/// error.
///
/// Runs as a loop: a million sequences that end at once need no deeper stack. A sequence that is itself a succession of
/// the same kind is expanded, so a recursively defined one needs no deeper stack either.
class Succession<Element: RxSendable>: DisposeBase, @unchecked Sendable {
    // Unchecked: mutable state is changed only by the caller in the loop, which `wanted` determines.
    final let downstream: Stage<Element>
    private let current = SerialDisposable()
    private var pending: [Successors<Element>]
    /// The number of requests to continue. The caller that finds 0 handles all of them.
    private let wanted = Atomic(0)

    init(_ downstream: Stage<Element>, _ first: Successors<Element>) {
        self.downstream = downstream
        pending = [first]
        super.init()
    }

    /// Continues with the next sequence. Call it once after attaching the succession, then at the end of each sequence.
    final func advance() {
        if wanted.add(1, ordering: .acquiringAndReleasing).oldValue != 0 { return }
        repeat {
            if current.isDisposed { return }
            guard let source = nextSource() else { return ranOut() }
            let sink = makeSink()
            // This disposes the previous one.
            current.disposable = sink
            source.subscribe(into: sink)
        } while wanted.subtract(1, ordering: .acquiringAndReleasing).newValue != 0
    }

    override func dispose() { current.dispose() }

    /// Creates the sink of one sequence, which calls `advance()` or ends the stage below.
    func makeSink() -> Sink<Element> { preconditionFailure("a succession makes its sinks") }

    /// The sequences of `source` if it is a succession of the same kind; otherwise nil.
    func successors(in source: Observable<Element>) -> Successors<Element>? { nil }

    /// Handles the end of the last sequence.
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

/// An iterator over the sequences of a succession.
class Successors<Element: RxSendable> {
    func next() -> Observable<Element>? { nil }

    /// Whether it is known that there is no next sequence, without requesting it.
    var isExhausted: Bool { false }

    /// Returns a closure that creates an iterator of a sequence.
    static func of<Sources: Sequence & RxSendable>(_ sources: Sources) -> @Sendable () -> Successors<Element>
    where Sources.Element == Observable<Element> {
        { SequenceSuccessors(sources.makeIterator()) }
    }

    /// Returns a closure that creates an iterator of a collection.
    static func of<Sources: Collection & RxSendable>(_ sources: Sources) -> @Sendable () -> Successors<Element>
    where Sources.Element == Observable<Element> {
        { CollectionSuccessors(sources) }
    }
}

final class SequenceSuccessors<Element: RxSendable, Sources: IteratorProtocol>: Successors<Element>
where Sources.Element == Observable<Element> {
    private var sources: Sources

    init(_ sources: Sources) {
        self.sources = sources
    }

    override func next() -> Observable<Element>? { sources.next() }
}

private final class CollectionSuccessors<Element: RxSendable, Sources: Collection>: Successors<Element>
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
