extension ObservableType {
    /// Continues after an error with the sequence that `handler` returns. An error that `handler` throws replaces the
    /// original.
    ///
    /// ```
    /// source                --1--#
    /// other                      --2--|
    /// catch { _ in other }  --1----2--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        Catch(asObservable(), handler)
    }

    /// Replaces an error with `element` and completion.
    ///
    /// ```
    /// source             --1--#
    /// catchAndReturn(0)  --1--(0|)
    /// ```
    @inlinable
    public func catchAndReturn(_ element: Element) -> Observable<Element> {
        Catch(asObservable()) { _ in .just(element) }
    }
}

@usableFromInline
final class Catch<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let handler: @Sendable (any Error) throws -> Observable<Element>

    @usableFromInline
    init(_ source: Observable<Element>, _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>) {
        self.source = source
        self.handler = handler
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = CatchSink(stage, self)
        stage.attach(sink.both)
        source.run(sink)
    }
}

private final class CatchSink<Element: RxSendable>: Handover<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let handler: @Sendable (any Error) throws -> Observable<Element>

    init(_ downstream: Stage<Element>, _ parent: Catch<Element>) {
        self.handler = parent.handler
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }

    override func failed(_ error: any Error) {
        let other: Observable<Element>
        do {
            other = try handler(error)
        } catch {
            return downstream.error(error)
        }
        handOver(to: other)
    }
}
