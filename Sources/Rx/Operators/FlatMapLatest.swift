internal import Synchronization

extension ObservableType {
    /// Mirrors the sequence that `selector` returns for the latest element, and disposes the previous one.
    ///
    /// Completes when the source and the latest inner sequence have. The first error ends it.
    ///
    /// ```
    /// source                       --1----2-------|
    /// inner(1)                       -a--b--c-|
    /// inner(2)                            -d--e-|
    /// flatMapLatest { inner($0) }  ---a--b-d--e---|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        FlatMapLatest(asObservable()) { try selector($0).asObservable() }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Mirrors the latest inner sequence and disposes the previous one. The first error ends it.
    ///
    /// ```
    /// source          --first--second--|
    /// first             --1--2--3--4-|
    /// second                   ---5---6--|
    /// switchLatest()  ----1--2----5---6--|
    /// ```
    public func switchLatest() -> Observable<Element.Element> { flatMapLatest { $0 } }
}

@usableFromInline
final class FlatMapLatest<Element: RxSendable, Result: RxSendable>: Producer<Result>, @unchecked Sendable {
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

private final class LatestHub<Result: RxSendable>: Hub<Result>, @unchecked Sendable {
    // Unchecked: see `Junction`.
    let current = CurrentLeg()
    @exclusivity(unchecked) private var isOuterDone = false

    /// Handles the end of the source. Called in a turn.
    func outerEnded() {
        isOuterDone = true
        if current.isNone { finish() }
    }

    /// Handles the end of an inner sequence. Called in a turn.
    func ended(_ leg: LatestLeg<Result>) {
        if current.remove(leg), isOuterDone { finish() }
    }
}

private final class LatestOuterSink<Element: RxSendable, Result: RxSendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: LatestHub<Result>
    private let selector: @Sendable (Element) throws -> Observable<Result>
    private let scalars: ScalarStage<Result>

    init(_ hub: LatestHub<Result>, _ parent: FlatMapLatest<Element, Result>) {
        self.hub = hub
        self.selector = parent.selector
        scalars = ScalarStage(hub)
        super.init()
        hub.insert(self)
        hub.insert(hub.current)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        do {
            let inner = try selector(element)
            if scalars.isAlone, inner.isScalar { return inner.run(scalars) }
            scalars.isAlone = false
            let leg = LatestLeg(hub)
            hub.current.replace(by: leg)
            inner.subscribe(into: leg)
        } catch {
            dispose()
            hub.turn { $0.fail(error) }
        }
    }

    override func failed(_ error: any Error) { hub.turn { $0.fail(error) } }
    override func finished() { hub.turn { [hub] _ in hub.outerEnded() } }
}

private final class LatestLeg<Result: RxSendable>: Leg<Result>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: LatestHub<Result>

    init(_ hub: LatestHub<Result>) {
        self.hub = hub
        super.init(among: hub)
    }

    // Checked in the turn: an event that waited while its sequence was replaced is dropped.
    override func take(_ element: Result) { if hub.current.holds(self) { hub.emit(element) } }
    override func takeError(_ error: any Error) { if hub.current.holds(self) { hub.fail(error) } }
    override func takeCompletion() { hub.ended(self) }
}

/// The leg of the latest inner sequence, in one atomic word. It stands for that leg among the legs of the hub.
private final class CurrentLeg: DisposeBase, @unchecked Sendable {
    // Unchecked: its state is atomic.
    private static let none: UInt = 0
    private static let disposed: UInt = 1
    private let word = Atomic(CurrentLeg.none)

    deinit { _ = CurrentLeg.leg(word.load(ordering: .acquiring)) }

    /// Disposes the previous leg, or `leg` itself if this is disposed.
    func replace(by leg: DisposeBase) {
        let new = UInt(bitPattern: Unmanaged.passRetained(leg).toOpaque())
        var known = word.load(ordering: .relaxed)
        while known != CurrentLeg.disposed {
            let (done, found) = word.compareExchange(
                expected: known, desired: new, ordering: .acquiringAndReleasing)
            if done { return CurrentLeg.leg(known)?.dispose() ?? () }
            known = found
        }
        CurrentLeg.leg(new)?.dispose()
    }

    func holds(_ leg: DisposeBase) -> Bool { word.load(ordering: .acquiring) == CurrentLeg.address(leg) }

    /// Returns false if another leg has replaced it.
    func remove(_ leg: DisposeBase) -> Bool {
        let address = CurrentLeg.address(leg)
        let exchanged = word.compareExchange(
            expected: address, desired: CurrentLeg.none, ordering: .acquiringAndReleasing
        ).exchanged
        if exchanged { _ = CurrentLeg.leg(address) }
        return exchanged
    }

    var isNone: Bool { word.load(ordering: .acquiring) == CurrentLeg.none }

    override func dispose() {
        CurrentLeg.leg(word.exchange(CurrentLeg.disposed, ordering: .acquiringAndReleasing))?.dispose()
    }

    private static func address(_ leg: DisposeBase) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(leg).toOpaque())
    }

    /// Takes ownership of the leg in a word.
    private static func leg(_ word: UInt) -> DisposeBase? {
        guard word > disposed, let pointer = UnsafeRawPointer(bitPattern: word) else { return nil }
        return Unmanaged<DisposeBase>.fromOpaque(pointer).takeRetainedValue()
    }
}
