public import FoundationEssentials
public import Rx

/// A sequence whose elements are waited for on the calling thread.
///
/// Each member subscribes, blocks until it knows its result, and disposes. On the main thread, or the main queue, what
/// `MainScheduler` has to do is done meanwhile, and the run loop goes on; elsewhere the thread just waits. Do not call
/// it on a thread that the sequence needs for its work.
///
/// ```
/// let names = try service.names().toBlocking(timeout: 5).toArray()
/// ```
public struct BlockingObservable<Element: Sendable>: Sendable {
    let timeout: TimeInterval?
    let source: Observable<Element>
}

extension ObservableConvertibleType {
    /// For tests that wait.
    ///
    /// - Parameter timeout: in seconds, for each of the members; when it passes first, `RxError.timeout` is thrown.
    public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
        BlockingObservable(timeout: timeout, source: asObservable())
    }
}

/// What came of a sequence: all of its elements, and how it ended.
@frozen
public enum MaterializedSequenceResult<Element: Sendable>: Sendable {
    case completed(elements: [Element])
    /// `elements` came before the error.
    case failed(elements: [Element], error: any Error)
}

extension BlockingObservable {
    /// All elements, once the sequence has completed. Throws the error it fails with.
    public func toArray() throws -> [Element] {
        try elements()
    }

    /// The first element, as soon as it is there; nil when there is none. Throws the error it fails with before.
    public func first() throws -> Element? {
        try elements(max: 1).first
    }

    /// The last element, once the sequence has completed; nil when there is none. Throws the error it fails with.
    public func last() throws -> Element? {
        try elements().last
    }

    /// The only element. Throws `RxError.noElements`, `RxError.moreThanOneElement` at the second, or the error it fails with.
    public func single() throws -> Element {
        try single { _ in true }
    }

    /// The only element that fulfils `predicate`; throws as `single()` does, and what `predicate` throws.
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
        let found = try elements(max: 2, where: predicate)
        if found.count > 1 { throw RxError.moreThanOneElement }
        guard let only = found.first else { throw RxError.noElements }
        return only
    }

    /// All elements and the end.
    public func materialize() -> MaterializedSequenceResult<Element> {
        collect(max: .max) { _ in true }
    }

    private func elements(
        max: Int = .max, where predicate: @escaping @Sendable (Element) throws -> Bool = { _ in true }
    ) throws -> [Element] {
        switch collect(max: max, where: predicate) {
        case .completed(let elements): return elements
        case .failed(_, let error): throw error
        }
    }

    /// Blocks until the end, or until `max` elements that fulfil `predicate` are there.
    private func collect(
        max: Int, where predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> MaterializedSequenceResult<Element> {
        let harvest = Harvest<Element>(max: max)
        let subscription = SingleAssignmentDisposable()
        defer { subscription.dispose() }
        CurrentThreadScheduler.apart {
            subscription.setDisposable(
                source.subscribe { event in
                    switch event {
                    case .next(let element):
                        do {
                            if try !harvest.isOver && predicate(element) { harvest.append(element) }
                        } catch {
                            harvest.end(error)
                        }
                    case .error(let error): harvest.end(error)
                    case .completed: harvest.end(nil)
                    }
                    if harvest.isOver { subscription.dispose() }
                })
            if !harvest.wait(timeout) { harvest.end(RxError.timeout) }
        }
        return harvest.result
    }
}

/// What a blocked caller waits for.
private final class Harvest<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var end: MaterializedSequenceResult<Element>?
    }

    private let max: Int
    private let state = Locked(State())
    private let blockade = Blockade()

    init(max: Int) {
        self.max = max
    }

    var isOver: Bool { state.withLock { $0.end != nil } }

    /// To be read when it is over.
    var result: MaterializedSequenceResult<Element> {
        guard let end = state.withLock({ $0.end }) else { preconditionFailure("a result is read at the end") }
        return end
    }

    func append(_ element: Element) {
        let isFull = state.withLock {
            if $0.end == nil { $0.elements.append(element) }
            return $0.elements.count >= max
        }
        if isFull { end(nil) }
    }

    /// The first end counts.
    func end(_ error: (any Error)?) {
        state.withLock {
            if $0.end != nil { return }
            $0.end =
                if let error { .failed(elements: $0.elements, error: error) } else { .completed(elements: $0.elements) }
        }
        blockade.lift()
    }

    func wait(_ timeout: TimeInterval?) -> Bool { blockade.wait(timeout) }
}
