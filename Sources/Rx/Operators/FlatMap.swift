extension ObservableType {
    /// Merges the sequences that `selector` returns for the elements.
    ///
    /// Completes when the source and all inner sequences have. The first error ends it, including one that `selector`
    /// throws.
    ///
    /// ```
    /// source                 --1-----3---|
    /// inner(1)                 -a--b-|
    /// inner(3)                       -c--d-|
    /// flatMap { inner($0) }  ---a--b--c--d-|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMap(asObservable()) { try selector($0).asObservable() }
    }
}

@usableFromInline
final class FlatMap<Element: RxSendable, Result: RxSendable>: Producer<Result>, @unchecked Sendable {
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
        let hub = Hub(stage)
        stage.attach(hub)
        source.run(FlatMapSink(hub, self))
    }
}

/// Subscribes to inner sequences outside turns, so that elements sent at once are passed down immediately.
private final class FlatMapSink<Element: RxSendable, Result: RxSendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: Hub<Result>
    private let selector: @Sendable (Element) throws -> Observable<Result>
    private let scalars: ScalarStage<Result>

    init(_ hub: Hub<Result>, _ parent: FlatMap<Element, Result>) {
        self.hub = hub
        self.selector = parent.selector
        scalars = ScalarStage(hub)
        super.init()
        hub.insert(self)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        do {
            let inner = try selector(element)
            if inner.isScalar {
                inner.run(scalars)
            } else {
                scalars.isAlone = false
                // The selector, or another thread, may have disposed of the subscription.
                let leg = MergeLeg(hub: hub)
                if leg.isOpen { inner.subscribe(into: leg) }
            }
        } catch {
            dispose()
            hub.turn { $0.fail(error) }
        }
    }

    override func failed(_ error: any Error) { hub.turn { $0.fail(error) } }
    override func finished() { if hub.remove(self) == 0 { hub.turn { $0.finish() } } }
}

/// Receives inner sequences of one element: they need no leg, and their completion does not concern the hub.
final class ScalarStage<Element: RxSendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: Hub<Element>
    /// Whether no other inner sequence has been subscribed to; then the serial calls of the source serve as turns.
    @exclusivity(unchecked) final var isAlone = true

    init(_ hub: Hub<Element>) {
        self.hub = hub
    }

    override func attach(_ upstream: DisposeBase) {}

    override func next(_ element: Element) {
        if isAlone { return hub.emit(element) }
        guard hub.enter() else { return park(element) }
        hub.emit(element)
        hub.leave()
    }

    @inline(never)
    private func park(_ element: Element) { hub.turn { $0.emit(element) } }

    override func error(_ error: any Error) { hub.turn { $0.fail(error) } }
    override func completed() {}
}
