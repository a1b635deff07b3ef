extension ObservableType {
    /// Emits the latest new element of the sequence at each element of `sampler` and at its completion.
    ///
    /// After the source completes, the next event of `sampler` samples once more and completes the sequence. If
    /// `sampler` completes first, nothing more is emitted, and only an error of the source ends the sequence. Each of
    /// them is released when it completes. An error of either ends the sequence.
    ///
    /// ```
    /// source                            -1-2-----3-4-|
    /// sampler                           ---x--x----x---x--
    /// sample(sampler)                   ---2-------4---|
    /// sample(sampler, defaultValue: 0)  ---2--0----4---(0|)
    /// ```
    ///
    /// - Parameters:
    ///   - sampler: the sequence that decides when an element is emitted; its elements are ignored.
    ///   - defaultValue: is emitted if there is no new element.
    public func sample<Source: ObservableType>(
        _ sampler: Source, defaultValue: Element? = nil
    ) -> Observable<Element> {
        Sample(asObservable(), sampler.asObservable(), defaultValue)
    }
}

private final class Sample<Element: RxSendable, Signal: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let sampler: Observable<Signal>
    let defaultValue: Element?

    init(_ source: Observable<Element>, _ sampler: Observable<Signal>, _ defaultValue: Element?) {
        self.source = source
        self.sampler = sampler
        self.defaultValue = defaultValue
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let hub = SampleHub(stage, defaultValue)
        stage.attach(hub)
        source.run(SampleLeg(hub))
        if !hub.isDisposed { sampler.run(SamplerLeg<Element, Signal>(hub)) }
    }
}

private final class SampleHub<Element: RxSendable>: Hub<Element>, @unchecked Sendable {
    // Unchecked: see `Junction`; mutable state is touched only in turns.
    private let defaultValue: Element?
    var latest: Element?
    var hasSourceCompleted = false

    init(_ downstream: Stage<Element>, _ defaultValue: Element?) {
        self.defaultValue = defaultValue
        super.init(downstream)
    }

    func sample() {
        if let element = latest ?? defaultValue {
            latest = nil
            emit(element)
        }
        if hasSourceCompleted { finish() }
    }
}

private final class SampleLeg<Element: RxSendable>: Leg<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: SampleHub<Element>

    init(_ hub: SampleHub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Element) { hub.latest = element }
    override func takeError(_ error: any Error) { hub.fail(error) }

    override func takeCompletion() {
        hub.remove(self)
        hub.hasSourceCompleted = true
    }
}

private final class SamplerLeg<Element: RxSendable, Signal: RxSendable>: Leg<Signal>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let hub: SampleHub<Element>

    init(_ hub: SampleHub<Element>) {
        self.hub = hub
        super.init(hub)
    }

    override func take(_ element: Signal) { hub.sample() }
    override func takeError(_ error: any Error) { hub.fail(error) }

    override func takeCompletion() {
        hub.remove(self)
        hub.sample()
    }
}
