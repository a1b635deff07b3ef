extension ObservableType {
    /// The elements after the first of `other`.
    ///
    /// The completion of `other` changes nothing; its error ends the sequence. When the source completes before `other`
    /// had an element, there is no event, and both are disposed.
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

private final class SkipUntil<Element: Sendable, Signal: Sendable>: Producer<Element>, @unchecked Sendable {
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
        override func takeCompletion() { if hub.isPassing { hub.finish() } else { hub.link?.dispose() } }
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

private final class SkipUntilHub<Element: Sendable>: Hub<Element>, @unchecked Sendable {
    // Unchecked: see `Junction`; touched in turns only.
    var isPassing = false
    /// What disposes this from below. Disposed here when the source has completed too early: no event follows, so nothing
    /// else would release what is below while the subscription is kept.
    weak var link: SingleAssignmentDisposable?
}
