internal import Jq

/// Compiles programs of streams as they will be evaluated, with faults that are about them as they are written.
enum StreamProgramCheck {
    /// Binds the names that only programs of streams have, on the line of the program.
    private static let prelude = "null as $key | null as $from | def now: 0; "

    /// The text that jq compiles.
    static func compiled(_ text: String) -> String { prelude + (text.allSatisfy(\.isWhitespace) ? "." : text) }

    /// A fault of the compiled text without what was added to the program.
    static func written(_ fault: JqProgramFault) -> JqProgramFault {
        guard let place = fault.place, place.line == 1, place.text.hasPrefix(prelude) else { return fault }
        var written = fault
        written.place?.column = max(place.column - prelude.count, 1)
        written.place?.text = String(place.text.dropFirst(prelude.count))
        return written
    }
}
