extension ObservableType {
    /// What `resultSelector` makes of each element and the latest of `second`; nothing before `second` has one.
    ///
    /// `second` is subscribed first. Its completion changes nothing, its error ends the sequence.
    ///
    /// ```
    /// source                                  --1-----2---3--|
    /// second                                  ----a-b---|
    /// withLatestFrom(second) { "\($0)\($1)" }  --------2b--3b-|
    /// ```
    public func withLatestFrom<Source: ObservableConvertibleType, Result: Sendable>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
    ) -> Observable<Result> {
        WithLatestFrom(asObservable(), second.asObservable(), resultSelector)
    }

    /// At each element, the latest of `second`; nothing before `second` has one.
    ///
    /// ```
    /// source                  --1-----2--3--|
    /// second                  ----a-b---|
    /// withLatestFrom(second)  --------b--b--|
    /// ```
    public func withLatestFrom<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Source.Element> {
        WithLatestFrom(asObservable(), second.asObservable()) { $1 }
    }
}

private final class WithLatestFrom<Element: Sendable, Other: Sendable, Result: Sendable>: Producer<Result>,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let other: Observable<Other>
    let resultSelector: @Sendable (Element, Other) throws -> Result

    init(
        _ source: Observable<Element>, _ other: Observable<Other>,
        _ resultSelector: @escaping @Sendable (Element, Other) throws -> Result
    ) {
        self.source = source
        self.other = other
        self.resultSelector = resultSelector
        super.init()
    }

    override func run(_ stage: Stage<Result>) {
        let hub = Hub(stage)
        stage.attach(hub)
        let latest = OtherLeg(hub)
        other.run(latest)
        if !hub.isDisposed { source.run(SourceLeg(hub, latest, resultSelector)) }
    }

    private final class OtherLeg: Leg<Other>, @unchecked Sendable {
        // Unchecked: see `Stage`; `latest` is touched in turns only.
        private let hub: Hub<Result>
        private(set) var latest: Other?

        init(_ hub: Hub<Result>) {
            self.hub = hub
            super.init(hub)
        }

        override func take(_ element: Other) { latest = element }
        override func takeError(_ error: any Error) { hub.fail(error) }
        override func takeCompletion() { hub.remove(self) }
    }

    private final class SourceLeg: Leg<Element>, @unchecked Sendable {
        // Unchecked: see `Stage`.
        private let hub: Hub<Result>
        private let other: OtherLeg
        private let resultSelector: @Sendable (Element, Other) throws -> Result

        init(
            _ hub: Hub<Result>, _ other: OtherLeg,
            _ resultSelector: @escaping @Sendable (Element, Other) throws -> Result
        ) {
            self.hub = hub
            self.other = other
            self.resultSelector = resultSelector
            super.init(hub)
        }

        override func take(_ element: Element) {
            guard let latest = other.latest else { return }
            do {
                hub.emit(try resultSelector(element, latest))
            } catch {
                hub.fail(error)
            }
        }

        override func takeError(_ error: any Error) { hub.fail(error) }
        override func takeCompletion() { hub.finish() }
    }
}
