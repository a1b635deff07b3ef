internal import Synchronization

extension ObservableType {
    /// The same sequence, with closures called as it passes.
    ///
    /// For each event: `on…`, then the event is handed on, then `after…`. What they throw ends the sequence as its error,
    /// which is not shown to `onError`.
    ///
    /// ```
    /// source               --1-------2-------|
    /// do(onNext: print)    --1-------2-------|
    ///                        prints  prints
    /// ```
    ///
    /// - Parameter onSubscribe: called before the source is subscribed.
    /// - Parameter onSubscribed: called after the source was subscribed, with all it sends meanwhile.
    /// - Parameter onDispose: called once and last, after the source was disposed: when the subscription is disposed, or
    ///   after the end was handed on.
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Observable<Element> {
        let hooks = DoHooks(
            onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError, onCompleted: onCompleted,
            afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose)
        return Do(asObservable(), hooks)
    }
}

private struct DoHooks<Element: Sendable>: Sendable {
    let onNext: (@Sendable (Element) throws -> Void)?
    let afterNext: (@Sendable (Element) throws -> Void)?
    let onError: (@Sendable (any Error) throws -> Void)?
    let afterError: (@Sendable (any Error) throws -> Void)?
    let onCompleted: (@Sendable () throws -> Void)?
    let afterCompleted: (@Sendable () throws -> Void)?
    let onSubscribe: (@Sendable () -> Void)?
    let onSubscribed: (@Sendable () -> Void)?
    let onDispose: (@Sendable () -> Void)?
}

private final class Do<Element: Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let hooks: DoHooks<Element>

    init(_ source: Observable<Element>, _ hooks: DoHooks<Element>) {
        self.source = source
        self.hooks = hooks
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        hooks.onSubscribe?()
        let sink = DoSink(stage, self)
        stage.attach(sink)
        source.run(sink)
        hooks.onSubscribed?()
        sink.subscribed()
    }
}

/// What has happened first.
private enum DoPhase {
    static let subscribing: UInt8 = 0
    static let subscribed: UInt8 = 1
    /// It was over before it was subscribed.
    static let closed: UInt8 = 2
}

private final class DoSink<Element: Sendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hooks: DoHooks<Element>
    private let phase = Atomic(DoPhase.subscribing)

    init(_ downstream: Stage<Element>, _ parent: Do<Element>) {
        self.hooks = parent.hooks
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        do {
            try hooks.onNext?(element)
            downstream.next(element)
            try hooks.afterNext?(element)
        } catch {
            abort(error)
        }
    }

    override func failed(_ error: any Error) {
        do {
            try hooks.onError?(error)
            downstream.error(error)
            try hooks.afterError?(error)
        } catch {
            downstream.error(error)
        }
    }

    override func finished() {
        do {
            try hooks.onCompleted?()
            downstream.completed()
            try hooks.afterCompleted?()
        } catch {
            downstream.error(error)
        }
    }

    /// After `onSubscribed` was called, which `onDispose` does not precede.
    func subscribed() {
        if !move(to: DoPhase.subscribed) { hooks.onDispose?() }
    }

    override func closed() {
        if !move(to: DoPhase.closed) { hooks.onDispose?() }
    }

    private func move(to next: UInt8) -> Bool {
        phase.compareExchange(expected: DoPhase.subscribing, desired: next, ordering: .acquiringAndReleasing).exchanged
    }
}
