/// The words of a command line that is being completed, as the user sees them.
///
/// bash breaks words at `=` and `:`, so `env=prod` arrives as three of them and `n:=3` too; here they are one again.
struct CommandLineWords {
    /// Those of rxctl's options that take a value; a test compares them with the commands.
    static let optionsWithValues: Set<String> = [
        "-s", "--socket", "--wait", "--timeout", "--key", "--parallel", "--channel", "--count", "--grace", "--state",
        "--limit", "--before", "--path", "--at", "--diff", "--against", "--to", "--reason", "--until", "--from",
        "--cursor-file", "--buffer",
        "--overflow",
        "--for",
        "--generate-completion-script",
    ]

    /// The word being completed.
    let current: String
    /// What the shell takes as typed of the current word: it wants only what follows.
    let head: String
    /// Those that are neither options nor their values, without the program and the current word.
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
                // A break is not replaced; what stands between breaks is.
                head = joins ? words[words.count - 1] + (breaks ? word : "") : ""
                current = joins ? words.count - 1 : words.count
            }
            if joins { words[words.count - 1] += word } else { words.append(word) }
            // After the cursor stands another word, whatever comes.
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

    /// What is given of INPUT besides the current word.
    var input: ArraySlice<String> { positionals.dropFirst(2) }

    /// Quotes and escapes of the simple kinds; a word with others is left as it is.
    private static func unquoted(_ word: String) -> String {
        for quote in ["'", "\""] where word.count > 1 && word.hasPrefix(quote) && word.hasSuffix(quote) {
            return String(word.dropFirst().dropLast())
        }
        return String(word.filter { $0 != "\\" })
    }
}
