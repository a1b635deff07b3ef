/// Compiles programs of streams as they will be evaluated, with messages that show them as they are written.
enum StreamProgramCheck {
    /// Binds the names that only programs of streams have, on the line of the program.
    private static let prelude = "null as $key | null as $from | def now: 0; "

    /// The text that jq compiles.
    static func compiled(_ text: String) -> String { prelude + (text.allSatisfy(\.isWhitespace) ? "." : text) }

    /// A message of jq without what was added to the program.
    static func message(_ message: String) -> String { message.replacing(prelude, with: "") }
}
