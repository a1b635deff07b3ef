public import FoundationEssentials
public import Rx

/// A sequence whose results the calling thread waits for.
///
/// Each member subscribes, blocks until its result is known, and disposes. On the main thread or the main queue, work
/// of `MainScheduler` and the run loop continues meanwhile; elsewhere the thread only waits. Do not call it on a thread
/// that the sequence needs.
///
/// ```
/// let names = try service.names().toBlocking(timeout: 5).toArray()
/// ```
public struct BlockingObservable<Element: RxSendable>: Sendable {
    let timeout: TimeInterval?
    let source: Observable<Element>
}

extension ObservableConvertibleType {
    /// Returns a blocking view of the sequence, for tests and command-line programs.
    ///
    /// - Parameter timeout: the limit in seconds for each member, which throws `RxError.timeout` when it expires. nil
    ///   waits without limit.
    public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
        BlockingObservable(timeout: timeout, source: asObservable())
    }
}

extension BlockingObservable {
    /// Returns all elements after the sequence completes.
    ///
    /// - Throws: the error of the sequence, or `RxError.timeout`.
    public func toArray() throws -> [Element] {
        try elements()
    }

    /// Returns the first element as soon as it arrives; nil if the sequence completes without one.
    ///
    /// - Throws: the error of a sequence that fails before its first element, or `RxError.timeout`.
    public func first() throws -> Element? {
        try elements(max: 1).first
    }

    /// Returns the last element after the sequence completes; nil if there was none.
    ///
    /// - Throws: the error of the sequence, or `RxError.timeout`.
    public func last() throws -> Element? {
        try elements().last
    }

    /// Returns the only element after the sequence completes.
    ///
    /// - Throws: `RxError.noElements`, `RxError.moreThanOneElement` at the second element, the error of the sequence,
    ///   or `RxError.timeout`.
    public func single() throws -> Element {
        try single { _ in true }
    }

    /// Returns the only element that satisfies `predicate`, after the sequence completes.
    ///
    /// - Throws: `RxError.noElements`, `RxError.moreThanOneElement` at the second match, the error of `predicate` or of
    ///   the sequence, or `RxError.timeout`.
    #if Migration
        @preconcurrency
    #endif
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
        let found = try elements(max: 2, where: predicate)
        if found.count > 1 { throw RxError.moreThanOneElement }
        guard let only = found.first else { throw RxError.noElements }
        return only
    }

    /// Waits for the end and returns all elements with it. A timeout is a failure with `RxError.timeout`.
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

    /// Blocks until the end, or until `max` elements that satisfy `predicate` have arrived.
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
