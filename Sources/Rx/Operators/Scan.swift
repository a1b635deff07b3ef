extension ObservableType {
    /// Emits the running result of `accumulator` for each element. An error that `accumulator` throws ends the
    /// sequence.
    ///
    /// ```
    /// source               --1--2--3--|
    /// scan(0) { $0 + $1 }  --1--3--6--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func scan<Result: RxSendable>(
        _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
    ) -> Observable<Result> {
        Scan(asObservable(), seed) { $0 = try accumulator($0, $1) }
    }

    /// Emits the running result for each element; `accumulator` changes it in place. An error that `accumulator` throws
    /// ends the sequence.
    ///
    /// ```
    /// source                            --1---2-----3-------|
    /// scan(into: []) { $0.append($1) }  --[1]-[1,2]-[1,2,3]-|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    @inlinable
    public func scan<Result: RxSendable>(
        into seed: Result, accumulator: @escaping @Sendable (inout Result, Element) throws -> Void
    ) -> Observable<Result> {
        Scan(asObservable(), seed, accumulator)
    }
}

@usableFromInline
final class Scan<Element: RxSendable, Result: RxSendable>: Producer<Result>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let seed: Result
    let accumulator: @Sendable (inout Result, Element) throws -> Void

    @usableFromInline
    init(
        _ source: Observable<Element>, _ seed: Result,
        _ accumulator: @escaping @Sendable (inout Result, Element) throws -> Void
    ) {
        self.source = source
        self.seed = seed
        self.accumulator = accumulator
        super.init()
    }

    override func run(_ stage: Stage<Result>) { source.run(ScanStage(stage, self)) }
}

private final class ScanStage<Element: RxSendable, Result: RxSendable>: Pass<Element, Result>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let accumulator: @Sendable (inout Result, Element) throws -> Void
    private var result: Result

    init(_ downstream: Stage<Result>, _ parent: Scan<Element, Result>) {
        self.accumulator = parent.accumulator
        result = parent.seed
        super.init(downstream)
    }

    override func next(_ element: Element) {
        do {
            try accumulator(&result, element)
        } catch {
            return downstream.error(error)
        }
        downstream.next(result)
    }
}
