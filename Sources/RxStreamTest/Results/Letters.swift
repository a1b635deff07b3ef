internal import RxJSON

/// The letters for what happened: those of the test where a value is one of its values, new ones for others.
struct Letters {
    /// What happened, as the events of a marble text.
    let events: [MarbleEvent]

    /// - Parameter upTo: the events before it are those that were expected.
    init(
        _ test: StreamTestDefinition, _ expected: MarbleText, _ recorded: [RecordedEvent], upTo difference: Int
    ) {
        let used = Set(
            expected.events.compactMap { event -> Character? in
                if case .element(let letter) = event.symbol { letter } else { nil }
            }
        ).union(test.values.keys)
        let known = used.sorted()
        var free = (Array("abcdefghijklmnopqrstuvwxyz") + Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
            .filter { !used.contains($0) }[...]
        var others: [RawJSON: Character] = [:]
        events = recorded.enumerated().map { index, event in
            if index < difference { return expected.events[index] }
            let symbol: MarbleSymbol
            switch event.content {
            case .error: symbol = .error
            case .end: symbol = .end
            case .element(let value), .firing(let value):
                if let letter = known.first(where: { Comparison.matches(.element($0), event, test) }) {
                    symbol = .element(letter)
                } else if let letter = others[value] {
                    symbol = .element(letter)
                } else {
                    let letter = free.popFirst() ?? "?"
                    others[value] = letter
                    symbol = .element(letter)
                }
            }
            return MarbleEvent(symbol, at: event.moment)
        }
    }
}
