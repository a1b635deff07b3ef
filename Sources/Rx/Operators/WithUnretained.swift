extension ObservableType {
    /// Emits `resultSelector` of `object` and each element. Holds `object` weakly and completes at the first element
    /// after its deallocation.
    ///
    /// ```
    /// source                                        --1----2----3--|
    /// object                                        ^---------!
    /// withUnretained(object) { "\($0.name)\($1)" }  --o1---o2---|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func withUnretained<Object: AnyObject & RxSendable, Out: RxSendable>(
        _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Observable<Out> {
        WithUnretained(asObservable(), obj, resultSelector)
    }

    /// Emits `object` with each element. Holds `object` weakly and completes at the first element after its
    /// deallocation.
    ///
    /// ```
    /// source                  --1----2----3--|
    /// object                  ^---------!
    /// withUnretained(object)  --o,1--o,2--|
    /// ```
    public func withUnretained<Object: AnyObject & RxSendable>(_ obj: Object) -> Observable<(Object, Element)> {
        WithUnretained(asObservable(), obj) { ($0, $1) }
    }
}

private final class WithUnretained<Element: RxSendable, Object: AnyObject & RxSendable, Out: RxSendable>: Producer<Out>,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    weak let object: Object?
    let resultSelector: @Sendable (Object, Element) -> Out

    init(
        _ source: Observable<Element>, _ object: Object,
        _ resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) {
        self.source = source
        self.object = object
        self.resultSelector = resultSelector
        super.init()
    }

    override func run(_ stage: Stage<Out>) {
        let sink = UnretainedSink(stage, self)
        stage.attach(sink)
        source.run(sink)
    }
}

private final class UnretainedSink<Element: RxSendable, Object: AnyObject & RxSendable, Out: RxSendable>:
    Valve<Element, Out>, @unchecked Sendable
{
    // Unchecked: see `Stage`.
    private weak let object: Object?
    private let resultSelector: @Sendable (Object, Element) -> Out

    init(_ downstream: Stage<Out>, _ parent: WithUnretained<Element, Object, Out>) {
        self.object = parent.object
        self.resultSelector = parent.resultSelector
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        guard let object else { return completed() }
        downstream.next(resultSelector(object, element))
    }
}
