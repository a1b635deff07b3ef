/// Whether `take` emits the element that ends it.
public enum TakeBehavior: Sendable {
    /// Emits the element that ends the sequence.
    case inclusive
    /// Drops the element that ends the sequence.
    case exclusive
}

extension ObservableType {
    /// Emits elements while `predicate` holds, then completes. An error that it throws ends the sequence.
    ///
    /// ```
    /// source                                         --1--2--3--1--|
    /// take(while: { $0 < 3 })                        --1--2--|
    /// take(while: { $0 < 3 }, behavior: .inclusive)  --1--2--(3|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func take(
        while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        TakeWhile(asObservable(), behavior, predicate)
    }

    /// Emits elements until `predicate` holds, then completes. An error that it throws ends the sequence.
    ///
    /// ```
    /// source                                          --1--2--3--1--|
    /// take(until: { $0 == 3 })                        --1--2--|
    /// take(until: { $0 == 3 }, behavior: .inclusive)  --1--2--(3|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func take(
        until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
    ) -> Observable<Element> {
        TakeWhile(asObservable(), behavior) { try !predicate($0) }
    }
}

private final class TakeWhile<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let source: Observable<Element>
    let behavior: TakeBehavior
    let predicate: @Sendable (Element) throws -> Bool

    init(
        _ source: Observable<Element>, _ behavior: TakeBehavior,
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) {
        self.source = source
        self.behavior = behavior
        self.predicate = predicate
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let sink = TakeWhileSink(stage, self)
        stage.attach(sink)
        source.run(sink)
    }
}

private final class TakeWhileSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let behavior: TakeBehavior
    private let predicate: @Sendable (Element) throws -> Bool
    private var isDone = false

    init(_ downstream: Stage<Element>, _ parent: TakeWhile<Element>) {
        self.behavior = parent.behavior
        self.predicate = parent.predicate
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen, !isDone else { return }
        do {
            isDone = try !predicate(element)
        } catch {
            return abort(error)
        }
        guard isDone else { return downstream.next(element) }
        switch behavior {
        case .inclusive: downstream.next(element)
        case .exclusive: break
        }
        completed()
    }
}
