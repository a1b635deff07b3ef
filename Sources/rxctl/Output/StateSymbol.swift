/// A state as a shape, a word, and a color. The shapes differ, so that a state is clear without colors.
struct StateSymbol {
    let shape: String
    let word: String
    let style: TextColor

    init(_ shape: String, _ word: String, _ style: TextColor) {
        self.shape = shape
        self.word = word
        self.style = style
    }

    /// The shape and the words, or the shape alone where there is no room.
    func cell(_ words: String? = nil) -> TableCell { TableCell("\(shape) \(words ?? word)", brief: shape, style) }

    /// The state of an execution. One of a newer daemon has a question mark.
    static func execution(_ state: String) -> StateSymbol {
        switch state {
        case "queued": StateSymbol("○", state, .dim)
        case "executing": StateSymbol("●", state, .cyan)
        case "completed": StateSymbol("✓", state, .green)
        case "failed": StateSymbol("✕", state, .red)
        case "timedOut": StateSymbol("◷", state, .red)
        case "cancelled": StateSymbol("⊘", state, .yellow)
        case "interrupted": StateSymbol("↯", state, .red)
        default: StateSymbol("?", state, .yellow)
        }
    }

    /// An action that nothing hinders, and of which nothing is in flight.
    static let enabled = StateSymbol("○", "enabled", .green)
    static let executing = StateSymbol("●", "executing", .cyan)
    static let disabled = StateSymbol("✕", "disabled", .red)

    /// The state of a stream.
    static func stream(_ state: String) -> StateSymbol {
        switch state {
        case "running": StateSymbol("●", state, .green)
        case "waiting": StateSymbol("○", state, .yellow)
        case "ended": StateSymbol("■", state, .dim)
        case "disabled": StateSymbol("✕", state, .red)
        default: StateSymbol("?", state, .yellow)
        }
    }
}
