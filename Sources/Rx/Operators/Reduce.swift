extension ObservableType {
    /// Emits the result of `accumulator` over all elements when the sequence completes. An error that `accumulator`
    /// throws ends the sequence.
    ///
    /// ```
    /// source                 --1--2--3--|
    /// reduce(0) { $0 + $1 }  -----------(6|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func reduce<Result: RxSendable>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        Reduce(asObservable(), seed, { $0 = try accumulator($0, $1) }, { $0 })
    }

    /// Emits `mapResult` of the result of `accumulator` over all elements when the sequence completes. An error that a
    /// closure throws ends the sequence.
    ///
    /// ```
    /// source                                             --1--2--3--|
    /// reduce(0, accumulator: +, mapResult: { $0 * 10 })  -----------(60|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @inlinable
    public func reduce<Accumulated: RxSendable, Result: RxSendable>(
        _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated,
        mapResult: @escaping @Sendable (Accumulated) throws -> Result
    ) -> Observable<Result> {
        Reduce(asObservable(), seed, { $0 = try accumulator($0, $1) }, mapResult)
    }
}

@usableFromInline
final class Reduce<Element: RxSendable, Accumulated: RxSendable, Result: RxSendable>: Producer<Result>,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let seed: Accumulated
    let accumulator: @Sendable (inout Accumulated, Element) throws -> Void
    let mapResult: @Sendable (Accumulated) throws -> Result

    @usableFromInline
    init(
        _ source: Observable<Element>, _ seed: Accumulated,
        _ accumulator: @escaping @Sendable (inout Accumulated, Element) throws -> Void,
        _ mapResult: @escaping @Sendable (Accumulated) throws -> Result
    ) {
        self.source = source
        self.seed = seed
        self.accumulator = accumulator
        self.mapResult = mapResult
        super.init()
    }

    override func run(_ stage: Stage<Result>) { source.run(ReduceStage(stage, self)) }
}

private final class ReduceStage<Element: RxSendable, Accumulated: RxSendable, Result: RxSendable>: Pass<
    Element, Result
>,
@unchecked Sendable
{
    // Unchecked: see `Stage`.
    private let accumulator: @Sendable (inout Accumulated, Element) throws -> Void
    private let mapResult: @Sendable (Accumulated) throws -> Result
    private var accumulated: Accumulated

    init(_ downstream: Stage<Result>, _ parent: Reduce<Element, Accumulated, Result>) {
        self.accumulator = parent.accumulator
        self.mapResult = parent.mapResult
        accumulated = parent.seed
        super.init(downstream)
    }

    override func next(_ element: Element) {
        do {
            try accumulator(&accumulated, element)
        } catch {
            downstream.error(error)
        }
    }

    override func completed() {
        do {
            downstream.next(try mapResult(accumulated))
            downstream.completed()
        } catch {
            downstream.error(error)
        }
    }
}
