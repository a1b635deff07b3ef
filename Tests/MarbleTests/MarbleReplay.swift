import Rx

/// How to replay the calls with a text.
struct MarbleReplay: Sendable {
    /// The declarations, as in `DocumentedMarbles.kind`.
    let kinds: Set<String>
    let call: String
    let run: @Sendable (MarbleStage) -> Void
}

/// A list of replays, built one statement at a time, which the compiler checks faster than one expression.
struct MarbleReplays {
    private let kinds: Set<String>
    private(set) var list: [MarbleReplay] = []

    init(_ kinds: String...) { self.kinds = Set(kinds) }

    /// A call whose line shows its result.
    mutating func callAsFunction<Source: ObservableConvertibleType>(
        _ call: String, _ result: @escaping @Sendable (MarbleStage) -> Source
    ) {
        list.append(MarbleReplay(kinds: kinds, call: call) { $0.result(result($0)) })
    }

    /// A call with several lines.
    mutating func lines(_ call: String, _ run: @escaping @Sendable (MarbleStage) -> Void) {
        list.append(MarbleReplay(kinds: kinds, call: call, run: run))
    }
}

/// A sequence that is no collection.
struct OneByOne<Item: Sendable>: Sequence, IteratorProtocol, Sendable {
    var items: [Item]

    mutating func next() -> Item? { items.isEmpty ? nil : items.removeFirst() }
}
