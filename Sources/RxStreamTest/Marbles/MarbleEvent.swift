/// One event of a marble text.
public struct MarbleEvent: Sendable, Hashable {
    /// What happens.
    public var symbol: MarbleSymbol
    /// When it happens: microseconds since the start.
    public var moment: Int64

    /// Creates an event.
    public init(_ symbol: MarbleSymbol, at moment: Int64) {
        self.symbol = symbol
        self.moment = moment
    }
}

/// A character of a marble text that is an event.
public enum MarbleSymbol: Sendable, Hashable {
    /// An element, `a` to `z` or `A` to `Z`; in a printed text also `?`, if there are more values than letters.
    case element(Character)
    /// `#`: an error; more may follow.
    case error
    /// `|`: the end.
    case end

    /// The character.
    public var character: Character {
        switch self {
        case .element(let letter): letter
        case .error: "#"
        case .end: "|"
        }
    }
}
