/// The words of a command line that is being completed, as the user sees them.
///
/// bash breaks words at `=` and `:`, so `env=prod` arrives as three of them and `n:=3` too; here they are one again.
struct CommandLineWords {
    /// The options of rxctl that take a value; a test compares them with the commands.
    static let optionsWithValues: Set<String> = [
        "-s", "--socket", "--wait", "--timeout", "--key", "--parallel", "--channel", "--count", "--grace", "--state",
        "--limit", "--before", "--since", "--by", "--grep", "--path", "--at", "--in", "--after", "--diff", "--against",
        "--to", "--reason", "--resume", "--until", "--from", "--cursor-file", "--buffer", "--overflow", "--for",
        "--zone", "-n", "-f", "--format", "--last", "--step", "--generate-completion-script",
    ]

    /// The word being completed.
    let current: String
    /// The part of the current word that the shell keeps; candidates are only what follows it.
    let head: String
    /// The words that are neither options nor their values, without the program and the current word.
    private(set) var positionals: [String] = []
    /// `-s`, `--socket`
    private(set) var socket: String?

    init(_ raw: [String], index: Int) {
        var words: [String] = []
        var current = raw.indices.contains(index) ? index : raw.count
        var head = ""
        var joinsNext = false
        for (place, word) in raw.enumerated() {
            let breaks = !word.isEmpty && word.allSatisfy { $0 == "=" || $0 == ":" }
            let joins = !words.isEmpty && (breaks || joinsNext)
            if place == index {
                // The shell replaces the text between breaks, but not the breaks.
                head = joins ? words[words.count - 1] + (breaks ? word : "") : ""
                current = joins ? words.count - 1 : words.count
            }
            if joins { words[words.count - 1] += word } else { words.append(word) }
            // The word after the cursor is separate in any case.
            joinsNext = breaks && place != index
        }
        self.current = words.indices.contains(current) ? words[current] : ""
        self.head = head
        sort(words.enumerated().dropFirst().filter { $0.offset != current }.map(\.element))
    }

    private mutating func sort(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                positionals += rest.map(CommandLineWords.unquoted)
                return
            }
            if CommandLineWords.optionsWithValues.contains(word) {
                let value = rest.popFirst()
                if word == "-s" || word == "--socket" { socket = value.map(CommandLineWords.unquoted) }
            } else if word.hasPrefix("--socket=") {
                socket = CommandLineWords.unquoted(String(word.dropFirst("--socket=".count)))
            } else if !word.hasPrefix("-") || word == "-" {
                positionals.append(CommandLineWords.unquoted(word))
            }
        }
    }

    /// The word after the command.
    var action: String? { positionals.count > 1 ? positionals[1] : nil }

    /// The words of INPUT without the current word.
    var input: ArraySlice<String> { positionals.dropFirst(2) }

    /// The word without simple quotes and escapes.
    private static func unquoted(_ word: String) -> String {
        for quote in ["'", "\""] where word.count > 1 && word.hasPrefix(quote) && word.hasSuffix(quote) {
            return String(word.dropFirst().dropLast())
        }
        return String(word.filter { $0 != "\\" })
    }
}
