extension ObservableType {
    /// Drops elements until `other` emits one.
    ///
    /// Completion of `other` has no effect; its error ends the sequence. If the source completes before the first
    /// element of `other`, no event is sent, and both are disposed.
    ///
    /// ```
    /// source              --1--2--3--4--|
    /// other               ------x--|
    /// skip(until: other)  --------3--4--|
    /// ```
    public func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
        SkipUntil(asObservable(), other.asObservable())
    }
}

private final class SkipUntil<Element: RxSendable, Signal: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let other: Observable<Signal>

    init(_ source: Observable<Element>, _ other: Observable<Signal>) {
        self.source = source
        self.other = other
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let hub = SkipUntilHub(stage)
        let link = SingleAssignmentDisposable()
        link.setDisposable(hub)
        hub.link = link
        stage.attach(link)
        let leg = SourceLeg(hub)
        let signal = SignalLeg(hub)
        source.run(leg)
        if signal.isOpen { other.run(signal) }
    }

    private final class SourceLeg: Leg<Element>, @unchecked Sendable {
        // Unchecked: see `Stage`.
        let hub: SkipUntilHub<Element>

        init(_ hub: SkipUntilHub<Element>) {
            self.hub = hub
            super.init(hub)
        }

        override func take(_ element: Element) { if hub.isPassing { hub.emit(element) } }
        override func takeError(_ error: any Error) { hub.fail(error) }
        override func takeCompletion() { if hub.isPassing { hub.finish() } else { hub.giveUp() } }
    }

    private final class SignalLeg: Leg<Signal>, @unchecked Sendable {
        // Unchecked: see `Stage`.
        let hub: SkipUntilHub<Element>

        init(_ hub: SkipUntilHub<Element>) {
            self.hub = hub
            super.init(hub)
        }

        override func take(_ element: Signal) {
            hub.isPassing = true
            hub.remove(self)
            dispose()
        }

        override func takeError(_ error: any Error) { hub.fail(error) }
        override func takeCompletion() { hub.remove(self) }
    }
}

private final class SkipUntilHub<Element: RxSendable>: Hub<Element>, @unchecked Sendable {
    // Unchecked: see `Junction`; touched only in turns.
    var isPassing = false
    /// The disposable that the stages below hold for this. Disposed here if the source completes too early: no event
    /// follows, so nothing else would release the stages below while the subscription is held.
    weak var link: SingleAssignmentDisposable?

    /// The source has completed too early.
    func giveUp() {
        link?.dispose()
        downstream.detach()
    }
}
