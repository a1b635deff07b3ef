extension ObservableType {
    /// The elements of the sequence that `selector` made of the latest element; the one before is disposed.
    ///
    /// Completes when the sequence and the latest one have.
    ///
    /// ```
    /// source                        --1--2---------|
    /// inner (n)                       -a--b-|
    /// flatMapLatest { inner($0) }   ---a--a--b-----|
    /// ```
    @inlinable
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMapLatest(asObservable()) { try selector($0).asObservable() }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// The elements of the latest inner sequence.
    ///
    /// ```
    /// first           --1--2--3--4
    /// second             ---5--6--|
    /// outer           first--second---|
    /// switchLatest()  --1----5--6-----|
    /// ```
    public func switchLatest() -> Observable<Element.Element> { flatMapLatest { $0 } }
}

@usableFromInline
final class FlatMapLatest<Element: Sendable, Result: Sendable>: Producer<Result>, @unchecked Sendable {
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
        let hub = LatestHub(stage)
        stage.attach(hub)
        source.run(LatestOuterSink(hub, self))
    }
}

private final class LatestHub<Result: Sendable>: Hub<Result>, @unchecked Sendable {
    // Unchecked: see `Junction`; what is below is guarded by `lock`.
    private let lock = Lock()
    /// Its name only: the leg, which the junction keeps as long as it matters, holds the hub.
    private var latest: ObjectIdentifier?
    private var isOuterDone = false

    func isLatest(_ leg: LatestLeg<Result>) -> Bool { lock.withLock { latest == ObjectIdentifier(leg) } }

    func replaceLatest(with leg: LatestLeg<Result>) {
        let previous = lock.withLock {
            defer { latest = ObjectIdentifier(leg) }
            return latest
        }
        if let previous { removeLeg(previous)?.dispose() }
    }

    /// Notes an end; true when nothing can follow.
    func ended(_ leg: LatestLeg<Result>?) -> Bool {
        lock.withLock {
            if let leg {
                if latest == ObjectIdentifier(leg) { latest = nil }
            } else {
                isOuterDone = true
            }
            return isOuterDone && latest == nil
        }
    }
}

private final class LatestOuterSink<Element: Sendable, Result: Sendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: LatestHub<Result>
    private let selector: @Sendable (Element) throws -> Observable<Result>

    init(_ hub: LatestHub<Result>, _ parent: FlatMapLatest<Element, Result>) {
        self.hub = hub
        self.selector = parent.selector
        super.init()
        hub.insert(self)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        do {
            let inner = try selector(element)
            let leg = LatestLeg(hub)
            hub.replaceLatest(with: leg)
            inner.subscribe(into: leg)
        } catch {
            dispose()
            hub.turn { $0.fail(error) }
        }
    }

    override func failed(_ error: any Error) { hub.turn { $0.fail(error) } }
    override func finished() { if hub.ended(nil) { hub.turn { $0.finish() } } }
}

private final class LatestLeg<Result: Sendable>: Leg<Result>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: LatestHub<Result>

    init(_ hub: LatestHub<Result>) {
        self.hub = hub
        super.init(hub)
    }

    // Looked at in the turn: an event that waited while another took its place is dropped.
    override func take(_ element: Result) { if hub.isLatest(self) { hub.emit(element) } }
    override func takeError(_ error: any Error) { if hub.isLatest(self) { hub.fail(error) } }

    override func takeCompletion() {
        hub.remove(self)
        if hub.ended(self) { hub.finish() }
    }
}
