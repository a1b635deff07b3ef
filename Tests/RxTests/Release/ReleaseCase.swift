import Rx
import RxTest
import Testing

/// An operator with closures, elements, or sources that hold an object, applied to two sources.
struct ReleaseCase: Sendable, CustomTestStringConvertible {
    /// What a case is made from. `first` and `second` are subjects; the others hold `held` in a closure.
    struct Sources: Sendable {
        let first: Observable<Int>
        let second: Observable<Int>
        let scheduler: TestScheduler
        let held: Held

        /// Returns `value`, and holds the object in the closure that calls this.
        func use<Value>(_ value: Value) -> Value {
            held.use()
            return value
        }

        var one: Observable<Int> { first.map { use($0) } }
        var two: Observable<Int> { second.map { use($0) } }
        var infallible: Infallible<Int> { one.asInfallible(onErrorFallbackTo: .empty()) }
        var otherInfallible: Infallible<Int> { two.asInfallible(onErrorFallbackTo: .empty()) }
        var single: Single<Int> { one.take(1).asSingle() }
        var otherSingle: Single<Int> { two.take(1).asSingle() }
        var maybe: Maybe<Int> { one.take(1).asMaybe() }
        var otherMaybe: Maybe<Int> { two.take(1).asMaybe() }
        var completable: Completable { one.ignoreElements().asCompletable() }
        var otherCompletable: Completable { two.ignoreElements().asCompletable() }
    }

    /// The operator as `ReleaseCoverageTests` finds it in the sources, `kind.name(labels)`; then, if there are several
    /// with that name, which one.
    let testDescription: String
    /// Whether the sequence does not end with its sources; the test disposes it then.
    let isEndless: Bool
    let apply: @Sendable (Sources) -> Observable<Void>

    static let all =
        creation + elementwise + selecting + combining + timed + sharing + infallible + primitive + single + maybe
        + completable
}

/// A list of cases, built one statement at a time, which the compiler checks faster than one expression.
struct ReleaseCases {
    let kind: String
    private(set) var list: [ReleaseCase] = []

    init(_ kind: String = "") {
        self.kind = kind.isEmpty ? "" : kind + "."
    }

    mutating func callAsFunction<Source: ObservableConvertibleType>(
        _ name: String, endless: Bool = false, _ apply: @escaping @Sendable (ReleaseCase.Sources) -> Source
    ) {
        list.append(
            ReleaseCase(
                testDescription: kind + name, isEndless: endless,
                apply: { sources in apply(sources).asObservable().map { _ in } }))
    }
}

/// A sequence that is no collection.
struct OneByOne<Item: Sendable>: Sequence, IteratorProtocol, Sendable {
    var items: [Item]

    mutating func next() -> Item? { items.isEmpty ? nil : items.removeFirst() }
}
