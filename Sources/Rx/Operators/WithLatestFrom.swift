extension ObservableType {
    /// Emits `resultSelector` of each element and the latest of `second`. Drops elements before the first of `second`.
    ///
    /// Subscribes to `second` first. Its completion has no effect; its error ends the sequence.
    ///
    /// ```
    /// source                                   --1-----2---3--|
    /// second                                   ----a-b---|
    /// withLatestFrom(second) { "\($0)\($1)" }  --------2b--3b-|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func withLatestFrom<Source: ObservableConvertibleType, Result: RxSendable>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
    ) -> Observable<Result> {
        WithLatestFrom(asObservable(), second.asObservable(), resultSelector)
    }

    /// Emits the latest element of `second` at each element. Drops elements before the first of `second`, whose
    /// completion has no effect and whose error ends the sequence.
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

private final class WithLatestFrom<Element: RxSendable, Other: RxSendable, Result: RxSendable>: Producer<Result>,
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
        // The source is disposed first and subscribed to second.
        let latest = Latest<Other>()
        let leg = SourceLeg(hub, latest, resultSelector)
        other.run(OtherLeg(hub, latest))
        if leg.isOpen { source.run(leg) }
    }

    private final class OtherLeg: Leg<Other>, @unchecked Sendable {
        // Unchecked: see `Stage`.
        private let hub: Hub<Result>
        private let latest: Latest<Other>

        init(_ hub: Hub<Result>, _ latest: Latest<Other>) {
            self.hub = hub
            self.latest = latest
            super.init(hub)
        }

        override func take(_ element: Other) { latest.element = element }
        override func takeError(_ error: any Error) { hub.fail(error) }
        override func takeCompletion() { hub.remove(self) }
    }

    private final class SourceLeg: Leg<Element>, @unchecked Sendable {
        // Unchecked: see `Stage`.
        private let hub: Hub<Result>
        private let latest: Latest<Other>
        private let resultSelector: @Sendable (Element, Other) throws -> Result

        init(
            _ hub: Hub<Result>, _ latest: Latest<Other>,
            _ resultSelector: @escaping @Sendable (Element, Other) throws -> Result
        ) {
            self.hub = hub
            self.latest = latest
            self.resultSelector = resultSelector
            super.init(hub)
        }

        override func take(_ element: Element) {
            guard !hub.isOver, !hub.isDisposed, let other = latest.element else { return }
            do {
                hub.emit(try resultSelector(element, other))
            } catch {
                hub.fail(error)
            }
        }

        override func takeError(_ error: any Error) { hub.fail(error) }
        override func takeCompletion() { hub.finish() }
    }
}

/// The latest element of the other sequence; nil before its first.
private final class Latest<Element: RxSendable>: @unchecked Sendable {
    // Unchecked: touched in turns only.
    var element: Element?
}
