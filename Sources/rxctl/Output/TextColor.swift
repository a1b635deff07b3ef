internal import Glibc

/// The color of a text: only a hint, because whatever it means is also a shape or a word.
enum TextColor: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"

    /// Whether texts on stdout are colored: if it is a terminal that knows colors, and NO_COLOR is unset or empty.
    static let isShown = isShown(
        onTerminal: StandardStreams.outputIsTerminal, environment: { getenv($0).map { String(cString: $0) } })

    static func isShown(onTerminal: Bool, environment: (String) -> String?) -> Bool {
        onTerminal && isWanted(environment: environment)
    }

    /// Whether the user wants colors (see https://no-color.org), and the terminal has them.
    static func isWanted(environment: (String) -> String?) -> Bool {
        (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
    }

    /// Whether the user wants colors, and the terminal has them, according to the environment of rxctl.
    static var isWanted: Bool { isWanted { getenv($0).map { String(cString: $0) } } }

    /// The text in this color.
    func applied(to text: String) -> String { text.isEmpty ? "" : "\u{1B}[\(rawValue)m\(text)\u{1B}[m" }
}
