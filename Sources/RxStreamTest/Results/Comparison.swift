internal import RxJSON
internal import RxTime

/// What was expected, and what happened.
struct Comparison {
    private let expected: MarbleText
    private let recorded: [RecordedEvent]
    private let test: StreamTestDefinition

    init(expected: MarbleText, recorded: [RecordedEvent], _ test: StreamTestDefinition) {
        self.expected = expected
        self.recorded = recorded
        self.test = test
    }

    /// The first difference; nil if there is none.
    func failure(from start: Instant) -> StreamTestFailure? {
        let count = max(expected.events.count, recorded.count)
        guard let index = (0..<count).first(where: { !isEqual(at: $0) }) else { return nil }
        let wanted = index < expected.events.count ? expected.events[index] : nil
        let found = index < recorded.count ? recorded[index] : nil
        let letters = Letters(test, expected, recorded, upTo: index)
        return StreamTestFailure(
            expected: expected, actual: MarbleText(letters.events), index: index,
            difference: difference(wanted, found, start))
    }

    private func isEqual(at index: Int) -> Bool {
        guard index < expected.events.count, index < recorded.count else { return false }
        return expected.events[index].moment == recorded[index].moment
            && Self.matches(expected.events[index].symbol, recorded[index], test)
    }

    /// Whether an event is what a symbol stands for.
    static func matches(_ symbol: MarbleSymbol, _ event: RecordedEvent, _ test: StreamTestDefinition) -> Bool {
        switch (symbol, event.content) {
        case (.end, .end), (.error, .error): return true
        case (.element(let letter), .element(let value)): return isEqual(test.value(letter), value)
        case (.element(let letter), .firing(let firing)):
            // A letter without a value is the input itself.
            guard let wanted = test.values[letter] else {
                return firing.value()["input"] == .string(String(letter))
            }
            return includes(firing.value(), wanted.value())
        case (.end, _), (.error, _), (.element, _): return false
        }
    }

    private static func isEqual(_ one: RawJSON, _ other: RawJSON) -> Bool {
        one == other || one.value() == other.value()
    }

    /// Whether the firing has all members that are named.
    private static func includes(_ firing: JSONValue, _ wanted: JSONValue) -> Bool {
        guard let members = wanted.object else { return firing == wanted }
        return members.allSatisfy { firing[$0.key] == $0.value }
    }

    private func difference(_ wanted: MarbleEvent?, _ found: RecordedEvent?, _ start: Instant) -> String {
        guard let wanted else { return "after the last expected event: \(text(found, start))" }
        guard let found else { return "\(text(wanted, start)) did not happen" }
        return "expected \(text(wanted, start)), got \(text(found, start))"
    }

    private func text(_ event: MarbleEvent, _ start: Instant) -> String {
        switch event.symbol {
        case .element(let letter): "\(letter) = \(test.value(letter).text) at \(clockText(event.moment, start))"
        case .error: "an error at \(clockText(event.moment, start))"
        case .end: "the end at \(clockText(event.moment, start))"
        }
    }

    private func text(_ event: RecordedEvent?, _ start: Instant) -> String {
        guard let event else { return "nothing" }
        switch event.content {
        case .element(let value), .firing(let value): return "\(value.text) at \(clockText(event.moment, start))"
        case .error(let message): return "an error (\(message)) at \(clockText(event.moment, start))"
        case .end: return "the end at \(clockText(event.moment, start))"
        }
    }

    private func clockText(_ moment: Int64, _ start: Instant) -> String {
        Duration.microseconds(moment).rxText + " (" + TimeText.utc(start.adding(microseconds: moment)) + ")"
    }
}
