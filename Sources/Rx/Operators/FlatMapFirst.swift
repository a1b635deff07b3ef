extension ObservableType {
    /// Mirrors the sequence that `selector` returns for an element. Drops elements that arrive before that sequence
    /// ends, without calling `selector`.
    ///
    /// Completes when the source and the current inner sequence have. The first error ends it.
    ///
    /// ```
    /// source                      --1---2----3---|
    /// inner(1)                      -a---b-|
    /// inner(3)                               -c--|
    /// flatMapFirst { inner($0) }  ---a---b----c--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMapFirst(asObservable()) { try selector($0).asObservable() }
    }
}

@usableFromInline
final class FlatMapFirst<Element: RxSendable, Result: RxSendable>: Producer<Result>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let selector: @Sendable (Element) throws -> Observable<Result>

    @usableFromInline
    init(_ source: Observable<Element>, _ selector: @escaping @Sendable (Element) throws -> Observable<Result>) {
        self.source = source
        self.selector = selector
        super.init()
    }

    override func run(_ stage: Stage<Result>) {
        let hub = FirstHub(stage)
        stage.attach(hub)
        source.run(FirstOuterSink(hub, self))
    }
}

private final class FirstHub<Result: RxSendable>: Hub<Result>, @unchecked Sendable {
    // Unchecked: see `Junction`; `lock` guards the properties below.
    private let lock = Lock()
    private var hasInner = false
    private var isOuterDone = false

    /// Begins an inner sequence. Returns false if one is under way.
    func begin() -> Bool {
        lock.withLock {
            defer { hasInner = true }
            return !hasInner
        }
    }

    /// Returns true if nothing can follow.
    func innerEnded() -> Bool {
        lock.withLock {
            hasInner = false
            return isOuterDone
        }
    }

    /// Returns true if nothing can follow.
    func outerEnded() -> Bool {
        lock.withLock {
            isOuterDone = true
            return !hasInner
        }
    }
}

private final class FirstOuterSink<Element: RxSendable, Result: RxSendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: FirstHub<Result>
    private let selector: @Sendable (Element) throws -> Observable<Result>

    init(_ hub: FirstHub<Result>, _ parent: FlatMapFirst<Element, Result>) {
        self.hub = hub
        self.selector = parent.selector
        super.init()
        hub.insert(self)
    }

    override func next(_ element: Element) {
        guard isOpen, hub.begin() else { return }
        let inner: Observable<Result>
        do {
            inner = try selector(element)
        } catch {
            dispose()
            return hub.turn { $0.fail(error) }
        }
        // The selector, or another thread, may have disposed of the subscription.
        let leg = FirstInnerLeg(hub)
        if leg.isOpen { inner.subscribe(into: leg) }
    }

    override func failed(_ error: any Error) { hub.turn { $0.fail(error) } }
    override func finished() { if hub.outerEnded() { hub.turn { $0.finish() } } }
}

private final class FirstInnerLeg<Result: RxSendable>: Leg<Result>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: FirstHub<Result>

    init(_ hub: FirstHub<Result>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Result) { hub.emit(element) }
    override func takeError(_ error: any Error) { hub.fail(error) }

    override func takeCompletion() {
        hub.remove(self)
        if hub.innerEnded() { hub.finish() }
    }
}
