extension ObservableConvertibleType {
    /// Subscribes now and returns the elements as an asynchronous sequence, which can be iterated once.
    ///
    /// Any number of elements wait for the reader: see `values(buffering:)`. The loop ends with the sequence and throws
    /// its error. Canceling the iterating task disposes the subscription, and the loop throws `CancellationError` after
    /// the waiting elements. Releasing the returned sequence disposes the subscription, too.
    ///
    ///     for try await element in observable.values { … }
    public var values: AsyncThrowingStream<Element, any Error> { values(buffering: .unbounded) }

    /// Subscribes now and returns the elements as an asynchronous sequence, which can be iterated once, with a limit on
    /// the elements that wait for the reader.
    ///
    /// The source never waits for the reader: an element is passed on by the thread that sends it, without suspending
    /// it. Elements that arrive while the reader is busy wait in a buffer, whose policy decides what a slow reader
    /// costs:
    ///
    /// | policy | memory | a reader that is too slow |
    /// |---|---|---|
    /// | `.unbounded` | grows with the backlog | gets everything, late |
    /// | `.bounded(n, whenFull: .dropOldest)` | n elements | misses the oldest of the waiting elements |
    /// | `.bounded(n, whenFull: .dropNewest)` | n elements | misses what arrives while n elements wait |
    /// | `.bounded(n, whenFull: .error)` | n elements | gets the waiting elements, then `RxError.overflow` |
    ///
    /// With the two policies that drop, the reader cannot see that something is missing. With `.error`, the element
    /// that finds no room disposes the subscription, so the source stops. The end of the sequence needs no room: it
    /// follows the waiting elements under every policy. To slow the source down instead, let it ask for more, for
    /// example with `concatMap` over pages.
    ///
    /// Canceling the iterating task disposes the subscription, and the loop throws `CancellationError` after the
    /// waiting elements. Releasing the returned sequence disposes the subscription, too.
    ///
    /// - Parameter buffering: how many elements wait and what happens to further ones. A bound below 1 is a programming
    ///   error.
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

private final class ThrowingStreamTerminal<Element: RxSendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let continuation: AsyncThrowingStream<Element, any Error>.Continuation
    private let failsWhenFull: Bool

    init(_ continuation: AsyncThrowingStream<Element, any Error>.Continuation, failsWhenFull: Bool) {
        self.continuation = continuation
        self.failsWhenFull = failsWhenFull
        // Has an effect only before an end: the reader was canceled.
        super.init(SubscriptionDisposable(onDisposed: { continuation.finish(throwing: CancellationError()) }))
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
    override func finished() { continuation.finish() }
}

private final class StreamTerminal<Element: RxSendable>: Terminal<Element>, @unchecked Sendable {
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
