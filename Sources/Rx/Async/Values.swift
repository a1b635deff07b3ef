extension ObservableConvertibleType {
    /// The elements as an asynchronous sequence, with the subscription made now. It can be iterated once.
    ///
    /// Elements wait for the reader, however many they are: see `values(buffering:)`. The loop ends as the sequence does,
    /// by its error too. When the task that iterates is cancelled, or the sequence returned here goes away, the subscription
    /// is disposed.
    ///
    ///     for try await element in observable.values { … }
    public var values: AsyncThrowingStream<Element, any Error> { values(buffering: .unbounded) }

    /// As `values`, with a bound on how many elements wait for the reader.
    ///
    /// With `.error`, one too many disposes the subscription; the reader receives what waits, then `RxError.overflow`.
    public func values(buffering: Buffering) -> AsyncThrowingStream<Element, any Error> {
        buffering.check()
        let policy: AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy
        let failsWhenFull: Bool
        switch buffering {
        case .unbounded: (policy, failsWhenFull) = (.unbounded, false)
        case .bounded(let count, whenFull: .dropOldest): (policy, failsWhenFull) = (.bufferingNewest(count), false)
        case .bounded(let count, whenFull: .dropNewest): (policy, failsWhenFull) = (.bufferingOldest(count), false)
        case .bounded(let count, whenFull: .error): (policy, failsWhenFull) = (.bufferingOldest(count), true)
        }
        return AsyncThrowingStream(bufferingPolicy: policy) { continuation in
            let terminal = ThrowingStreamTerminal(continuation, failsWhenFull: failsWhenFull)
            // Called once, also at the end of the sequence, and released then.
            continuation.onTermination = { [subscription = terminal.subscription] _ in subscription.dispose() }
            asObservable().subscribe(into: terminal)
        }
    }
}

extension InfallibleType {
    /// The elements as an asynchronous sequence that does not throw, with the subscription made now. It can be iterated once.
    ///
    /// When the task that iterates is cancelled, or the sequence returned here goes away, the subscription is disposed.
    ///
    ///     for await element in infallible.values { … }
    public var values: AsyncStream<Element> {
        AsyncStream { continuation in
            let terminal = StreamTerminal(continuation)
            continuation.onTermination = { [subscription = terminal.subscription] _ in subscription.dispose() }
            asObservable().subscribe(into: terminal)
        }
    }
}

private final class ThrowingStreamTerminal<Element: Sendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let continuation: AsyncThrowingStream<Element, any Error>.Continuation
    private let failsWhenFull: Bool

    init(_ continuation: AsyncThrowingStream<Element, any Error>.Continuation, failsWhenFull: Bool) {
        self.continuation = continuation
        self.failsWhenFull = failsWhenFull
        // By an end this is where the iteration ends; disposed by the reader, it has ended already.
        super.init(SubscriptionDisposable(onDisposed: { continuation.finish() }))
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        switch continuation.yield(element) {
        case .enqueued: break
        case .dropped where failsWhenFull: error(RxError.overflow)
        case .dropped: break
        case .terminated: dispose()
        @unknown default: break
        }
    }

    override func failed(_ error: any Error) { continuation.finish(throwing: error) }
}

private final class StreamTerminal<Element: Sendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
        super.init(SubscriptionDisposable(onDisposed: { continuation.finish() }))
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        continuation.yield(element)
    }
}
