extension ObservableConvertibleType {
    /// Subscribes now and returns the elements as an asynchronous sequence, which can be iterated once.
    ///
    /// Any number of elements wait for the reader: see `values(buffering:)`. The loop ends with the sequence and throws
    /// its error. Canceling the iterating task or releasing the returned sequence disposes the subscription.
    ///
    ///     for try await element in observable.values { … }
    public var values: AsyncThrowingStream<Element, any Error> { values(buffering: .unbounded) }

    /// Subscribes now and returns the elements as an asynchronous sequence, which can be iterated once, with a limit on
    /// the elements that wait for the reader.
    ///
    /// With `.error`, an element beyond the limit disposes the subscription; the reader gets the waiting elements, then
    /// `RxError.overflow`.
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
            // Called once, at the end of the sequence as well, and then released.
            continuation.onTermination = { [subscription = terminal.subscription] _ in subscription.dispose() }
            asObservable().subscribe(into: terminal)
        }
    }
}

extension InfallibleType {
    /// Subscribes now and returns the elements as an asynchronous sequence that does not throw and can be iterated
    /// once.
    ///
    /// Canceling the iterating task or releasing the returned sequence disposes the subscription.
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
        // This ends the iteration after an end; if the reader disposed the subscription, the iteration has already
        // ended.
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
