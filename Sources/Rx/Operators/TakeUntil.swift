extension ObservableType {
    /// Emits elements until `other` emits one, then completes. An error of `other` ends the sequence as well; its
    /// completion has no effect.
    ///
    /// ```
    /// source              --1--2--3--|
    /// other               -------a--
    /// take(until: other)  --1--2-|
    /// ```
    public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
        TakeUntil(asObservable(), other.asObservable())
    }
}

private final class TakeUntil<Element: RxSendable, Signal: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let other: Observable<Signal>

    init(_ source: Observable<Element>, _ other: Observable<Signal>) {
        self.source = source
        self.other = other
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let hub = Hub(stage)
        stage.attach(hub)
        // The source is disposed first and subscribed to second.
        let leg = SourceLeg(hub)
        other.run(SignalLeg(hub))
        if leg.isOpen { source.run(leg) }
    }

    private final class SourceLeg: Leg<Element>, @unchecked Sendable {
        // Unchecked: see `Stage`.
        let hub: Hub<Element>

        init(_ hub: Hub<Element>) {
            self.hub = hub
            super.init(hub)
        }

        override func take(_ element: Element) { hub.emit(element) }
        override func takeError(_ error: any Error) { hub.fail(error) }
        override func takeCompletion() { hub.finish() }
    }

    private final class SignalLeg: Leg<Signal>, @unchecked Sendable {
        // Unchecked: see `Stage`.
        let hub: Hub<Element>

        init(_ hub: Hub<Element>) {
            self.hub = hub
            super.init(hub)
        }

        override func take(_ element: Signal) { hub.finish() }
        override func takeError(_ error: any Error) { hub.fail(error) }
        override func takeCompletion() { hub.remove(self) }
    }
}
