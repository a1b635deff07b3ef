internal import Synchronization

extension ObservableType {
    /// Calls closures as events pass; the sequence is otherwise unchanged.
    ///
    /// For each event, `on…` is called before the event is sent and `after…` after it. An error that they throw ends
    /// the sequence and is not passed to `onError`.
    ///
    /// ```
    /// source             --1-----2-----|
    /// do(onNext: print)  --1-----2-----|
    /// ```
    ///
    /// - Parameters:
    ///   - onNext: called before each element is sent.
    ///   - afterNext: called after each element is sent.
    ///   - onError: called before an error is sent.
    ///   - afterError: called after an error is sent.
    ///   - onCompleted: called before the completion is sent.
    ///   - afterCompleted: called after the completion is sent.
    ///   - onSubscribe: called before the source is subscribed to.
    ///   - onSubscribed: called after the source is subscribed to, including everything it sends meanwhile.
    ///   - onDispose: called once, last, after the source is disposed: when the subscription is disposed, or after the
    ///     end is sent.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
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

private struct DoHooks<Element: RxSendable>: Sendable {
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

private final class Do<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
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

/// The phase of the subscription.
private enum DoPhase {
    static let subscribing: UInt8 = 0
    static let subscribed: UInt8 = 1
    /// It ended before the subscription was complete.
    static let closed: UInt8 = 2
}

private final class DoSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
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

    /// Marks the call of `onSubscribed`, after which `onDispose` may run.
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
