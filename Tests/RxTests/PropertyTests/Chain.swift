/// A chain of operators over sources of known events, to be built by the library and to be computed by `Model`.
indirect enum Chain: Sendable {
    case source(Source)
    case one(Unary, Chain)
    case two(Binary, Chain, Chain)
    case many(Flattening, Chain, [Chain])

    struct Source: Sendable {
        enum Kind: Sendable {
            /// Times on the clock.
            case hot
            /// Times after the subscription.
            case cold
            /// All at the subscription.
            case now
        }

        var id: Int
        var kind: Kind
        var events: [Timed]
    }
}

/// An operator of one sequence. Numbers are made of numbers, so that everything can follow everything.
enum Unary: Hashable, Sendable {
    case map(adding: Int)
    case mapThrowing(multiplesOf: Int)
    case filter(notMultiplesOf: Int)
    case compactMap(halvesNotMultiplesOf: Int)
    case scan
    case distinct
    case distinctKey(modulo: Int)
    case take(Int)
    case takeLast(Int)
    case takeWhile(below: Int, inclusive: Bool)
    case takeUntilElement(atLeast: Int, inclusive: Bool)
    case skip(Int)
    case skipWhile(below: Int)
    case startWith([Int])
    case ifEmpty(Int)
    case elementAt(Int)
    case enumerated
    case ignoreElements
    case single
    case reduce
    case toArray
    case materialize
    case roundTrip
    case bufferCount(Int)
    case buffer(span: Int, count: Int)
    case window(span: Int, count: Int)
    case delay(Int)
    case debounce(Int)
    case throttle(Int, latest: Bool)
    case timeout(Int)
    case takeFor(Int)
    case skipFor(Int)
    case delaySubscription(Int)
    case subscribeOn
    case observeOn
    case retry(Int)
    case catchAndReturn(Int)
    case share
    case shareTwice
}

/// An operator of two sequences.
enum Binary: Hashable, Sendable {
    case concat
    case merge
    case zip
    case combineLatest
    case withLatestFrom
    case amb
    case sample
    case sampleDefault(Int)
    case takeUntil
    case skipUntil
    case timeoutOther(Int)
    case `catch`
    case ifEmptySwitch
}

/// An operator that makes a sequence of each element: the one at the element's value, modulo their number.
enum Flattening: Hashable, Sendable {
    case flatMap
    case flatMapLatest
    case flatMapFirst
    case concatMap
    case mergeLimited(Int)
}

extension Chain: CustomStringConvertible {
    var description: String {
        switch self {
        case .source(let source): "s\(source.id)"
        case .one(let step, let chain): "\(chain)\n    .\(step)"
        case .two(let step, let first, let second): "\(first)\n    .\(step) {\n\(second.indented)\n    }"
        case .many(let step, let outer, let inner):
            "\(outer)\n    .\(step) {\n\(inner.map(\.indented).joined(separator: "\n        ,\n"))\n    }"
        }
    }

    private var indented: String {
        description.split(separator: "\n", omittingEmptySubsequences: false).map { "        \($0)" }
            .joined(separator: "\n")
    }

    /// The events of the sources, a line each.
    var tables: String {
        sources.map { "s\($0.id) \($0.kind) \($0.events.table)" }.joined(separator: "\n")
    }

    var sources: [Source] {
        switch self {
        case .source(let source): [source]
        case .one(_, let chain): chain.sources
        case .two(_, let first, let second): first.sources + second.sources
        case .many(_, let outer, let inner): outer.sources + inner.flatMap(\.sources)
        }
    }

    /// The operators, by their names without parameters.
    var operatorNames: [String] {
        func name(_ step: Any) -> String { String("\(step)".prefix { $0 != "(" }) }
        return switch self {
        case .source: []
        case .one(let step, let chain): [name(step)] + chain.operatorNames
        case .two(let step, let first, let second): [name(step)] + first.operatorNames + second.operatorNames
        case .many(let step, let outer, let inner):
            [name(step)] + outer.operatorNames + inner.flatMap(\.operatorNames)
        }
    }
}
