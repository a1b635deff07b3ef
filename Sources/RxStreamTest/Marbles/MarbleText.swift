internal import RxJSON

/// A sequence of events as text: `a 100ms bc 1s |`.
///
/// Words are separated by spaces. A word that begins with a digit is a duration. In any other word each character is an
/// event: a letter is an element, `#` is an error, and `|` is the end. All events of a word happen at one moment.
public struct MarbleText: Sendable, Hashable {
    /// The events in order.
    public let events: [MarbleEvent]

    /// A sequence of events, whose moments must not decrease.
    public init(_ events: [MarbleEvent]) { self.events = events }

    /// Reads a text; throws the first fault, with its position.
    public init(parsing text: String) throws(MarbleFault) {
        var events: [MarbleEvent] = []
        var moment: Int64 = 0
        var hasEnded = false
        let characters = Array(text)
        var position = 0
        while position < characters.count {
            if characters[position].isWhitespace {
                position += 1
                continue
            }
            let start = position
            while position < characters.count, !characters[position].isWhitespace { position += 1 }
            let word = characters[start..<position]
            if Self.isDigit(word[start]) {
                let (sum, overflow) = moment.addingReportingOverflow(try Self.duration(word, of: text))
                guard !overflow else {
                    throw MarbleFault(text, at: start, "the durations up to here add up to more than 292,271 years")
                }
                moment = sum
                continue
            }
            for index in word.indices {
                guard !hasEnded else { throw MarbleFault(text, at: index, "nothing can follow the end") }
                let symbol = try Self.symbol(word[index], at: index, of: text)
                hasEnded = symbol == .end
                events.append(MarbleEvent(symbol, at: moment))
            }
        }
        self.events = events
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

    private static func duration(
        _ word: ArraySlice<Character>, of text: String
    ) throws(MarbleFault) -> Int64 {
        guard let duration = Duration(rxText: String(word)) else {
            throw MarbleFault(text, at: word.startIndex, "expected a duration such as 100ms or 1h30m")
        }
        return duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }

    private static func symbol(
        _ character: Character, at position: Int, of text: String
    ) throws(MarbleFault) -> MarbleSymbol {
        switch character {
        case "a"..."z", "A"..."Z": return .element(character)
        case "|": return .end
        case "#": return .error
        case "-": throw MarbleFault(text, at: position, "\"-\" is not an event; write a duration, such as 10ms")
        case "0"..."9":
            throw MarbleFault(text, at: position, "expected a letter; a duration is a word of its own")
        default: throw MarbleFault(text, at: position, "expected a letter, \"|\", \"#\", or a duration")
        }
    }
}

extension MarbleText: CustomStringConvertible {
    /// The shortest text with these events. Fractions of a millisecond are left out.
    public var description: String {
        var text = ""
        var moment: Int64 = 0
        for event in events {
            let milliseconds = event.moment / 1_000 - moment / 1_000
            if milliseconds > 0 {
                text += (text.isEmpty ? "" : " ") + Duration.milliseconds(milliseconds).rxText + " "
            }
            moment = event.moment
            text.append(event.symbol.character)
        }
        return text
    }
}
