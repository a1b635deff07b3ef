/// Why a text is not a jq program.
public struct JqProgramFault: Sendable, Hashable, CustomStringConvertible {
    /// A character of the program.
    public struct Place: Sendable, Hashable {
        /// The line, from 1.
        public var line: Int
        /// The place in the line, from 1, in characters.
        public var column: Int
        /// The line itself.
        public var text: String
    }

    /// What is wrong, in a few words: `unexpected "c"`, `foo/1 is not defined`.
    public var message: String
    /// Where; nil if jq does not report it.
    public var place: Place?

    /// A fault at a place of the program.
    public init(_ message: String, at place: Place? = nil) {
        self.message = message
        self.place = place
    }

    /// The message with its place and the line, on one line.
    public var description: String {
        guard let place else { return message }
        return "\(message) at line \(place.line), column \(place.column): \(place.text)"
    }
}

extension JqProgramFault {
    /// The fault that jq reports for `program`: a message, the number of a line, the line itself, and as many spaces as
    /// there are bytes in front of the place.
    ///
    ///     jq: error: syntax error, unexpected IDENT (Unix shell quoting issues?) at <top-level>, line 1:
    ///     .a.b c␠␠␠␠␠
    init(_ report: String, of program: String) {
        var sentence = report.hasPrefix("jq: error: ") ? report.dropFirst("jq: error: ".count) : report[...]
        if let place = sentence.firstRange(of: " at <top-level>, line ") {
            let (rest, number) = (sentence[place.upperBound...], sentence[place.upperBound...].prefix { $0.isNumber })
            sentence = sentence[..<place.lowerBound]
            let lines = program.split(separator: "\n", omittingEmptySubsequences: false)
            if let line = Int(number), lines.indices.contains(line - 1), let start = rest.firstIndex(of: "\n") {
                let text = lines[line - 1]
                let indent = rest[start...].utf8.count - 1 - text.utf8.count
                self.init(String(sentence), on: line, of: text, at: min(max(indent, 0), text.utf8.count))
                return
            }
        }
        self.init(Self.plain(String(sentence.split(whereSeparator: \.isWhitespace).joined(separator: " "))))
    }

    private init(_ sentence: String, on line: Int, of text: Substring, at offset: Int) {
        let (start, end) = (text.utf8.index(text.startIndex, offsetBy: offset), text.endIndex)
        let (message, index) =
            if sentence.hasPrefix("syntax error, unexpected $end, expecting QQSTRING") {
                ("a string is not closed", offset > 0 ? text.utf8.index(before: start) : start)
            } else if sentence.hasPrefix("syntax error, unexpected $end") {
                ("it ends too early", end)
            } else if sentence.hasPrefix("syntax error, unexpected ") {
                ("unexpected \(Self.token(text[start...]).debugDescription)", start)
            } else {
                (Self.plain(sentence), start)
            }
        let column = text[..<index].count + 1
        self.init(message, at: Place(line: line, column: column, text: String(text)))
    }

    /// A hint for those who type programs in a shell, which may not concern this one.
    private static func plain(_ message: String) -> String {
        message.replacing(" (Unix shell quoting issues?)", with: "")
    }

    /// The name, number, or other character that a text begins with.
    private static func token(_ text: Substring) -> String {
        let word = text.prefix { $0.isLetter || $0.isNumber || "_$@.".contains($0) }
        return String(word.isEmpty ? text.prefix(1) : word)
    }
}
