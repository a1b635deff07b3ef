/// A state as a shape, a word, and a color. The shapes differ, so that a state is clear without colors.
struct Mark {
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
    static func execution(_ state: String) -> Mark {
        switch state {
        case "queued": Mark("○", state, .dim)
        case "executing": Mark("●", state, .cyan)
        case "completed": Mark("✓", state, .green)
        case "failed": Mark("✕", state, .red)
        case "timedOut": Mark("◷", state, .red)
        case "cancelled": Mark("⊘", state, .yellow)
        case "interrupted": Mark("↯", state, .red)
        default: Mark("?", state, .yellow)
        }
    }

    /// An action that nothing hinders, and of which nothing is in flight.
    static let enabled = Mark("○", "enabled", .green)
    static let executing = Mark("●", "executing", .cyan)
    static let disabled = Mark("✕", "disabled", .red)

    /// The state of a stream.
    static func stream(_ state: String) -> Mark {
        switch state {
        case "running": Mark("●", state, .green)
        case "waiting": Mark("○", state, .yellow)
        case "ended": Mark("■", state, .dim)
        case "disabled": Mark("✕", state, .red)
        default: Mark("?", state, .yellow)
        }
    }
}
