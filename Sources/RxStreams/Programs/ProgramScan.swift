/// Finds the names that a jq program uses, without those in comments, in strings (but with those in `\(…)`), of fields
/// (`.env`), and of keys (`{env: 1}`, `{env}`).
struct ProgramScan {
    /// A name in a program.
    enum Name: Hashable {
        /// `now`
        case function(String)
        /// `$key`, without the `$`
        case variable(String)
    }

    private let text: [UInt8]
    private var place = 0
    /// Whether there is nothing but white space and comments, so that jq sees an empty program.
    private(set) var isBlank = false
    /// The innermost bracket is last: `(`, `[`, `{`, `"` for `\(` in a string, or `i` for `if`.
    private var open: [UInt8] = []
    /// Whether a name here would be a key of an object.
    private var isAtKey = false
    private var names: [Name] = []
    private(set) var unexpected: String?
    /// Whether there is a `=`, which assigns.
    private(set) var assigns = false

    init(_ text: String) {
        self.text = Array(text.utf8)
        skipSpace()
        isBlank = place == self.text.count
    }

    /// Returns the names in their order.
    mutating func run() -> [Name] {
        while let byte = peek() {
            token(byte)
        }
        return names
    }

    /// Returns what the program mentions of the element.
    mutating func mentions() -> EvaluatedProgram.Mentions {
        var mentions: EvaluatedProgram.Mentions = []
        for name in run() {
            switch name {
            case .function("now"): mentions.insert(.time)
            case .variable("key"): mentions.insert(.key)
            case .variable("from"): mentions.insert(.from)
            case .function, .variable: break
            }
        }
        return mentions
    }

    private mutating func token(_ byte: UInt8) {
        let wasAtKey = isAtKey
        switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: " "), 9...13:
            skipSpace()
            return
        case UInt8(ascii: "\""):
            place += 1
            string()
        case UInt8(ascii: "."):
            place += 1
            // The name of a field; a number such as `.5` has none.
            _ = word()
        case UInt8(ascii: "@"):
            place += 1
            _ = word()
        case UInt8(ascii: "$"):
            place += 1
            skipSpace()
            names.append(.variable(word()))
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
            place += 1
            open.append(byte)
            isAtKey = byte == UInt8(ascii: "{")
            return
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            place += 1
            close(byte)
        case UInt8(ascii: ","):
            place += 1
            isAtKey = open.last == UInt8(ascii: "{")
            return
        case _ where Self.isLetter(byte):
            name(isKey: wasAtKey)
        case _ where Self.isDigit(byte): number()
        case UInt8(ascii: "="): equals()
        default: place += 1
        }
        isAtKey = false
    }

    private mutating func name(isKey: Bool) {
        let name = word()
        guard !isKey else { return }
        switch name {
        case "if": open.append(UInt8(ascii: "i"))
        case "end": if open.last == UInt8(ascii: "i") { open.removeLast() }
        default: names.append(.function(name))
        }
    }

    private mutating func close(_ byte: UInt8) {
        if byte == UInt8(ascii: ")"), open.last == UInt8(ascii: "\"") {
            open.removeLast()
            return string()
        }
        let opening =
            switch byte {
            case UInt8(ascii: ")"): UInt8(ascii: "(")
            case UInt8(ascii: "]"): UInt8(ascii: "[")
            default: UInt8(ascii: "{")
            }
        if open.last == opening {
            open.removeLast()
        } else {
            unexpected = unexpected ?? String(Unicode.Scalar(byte))
        }
    }

    /// `=` alone; not `==`, or the end of `!=`, `<=`, `>=`, `|=`, `+=`, and the like.
    private mutating func equals() {
        let isEnd = place > 0 && "=!<>|+-*/%".utf8.contains(text[place - 1])
        place += 1
        if peek() == UInt8(ascii: "=") {
            place += 1
        } else if !isEnd {
            assigns = true
        }
    }

    private mutating func number() {
        while let byte = peek(), Self.isDigit(byte) || byte == UInt8(ascii: ".") { place += 1 }
        guard peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") else { return }
        place += 1
        if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { place += 1 }
        while let byte = peek(), Self.isDigit(byte) { place += 1 }
    }

    /// Reads a string, or the rest of one, up to its end or to a `\(` within it.
    private mutating func string() {
        while let byte = peek() {
            place += 1
            if byte == UInt8(ascii: "\"") { return }
            guard byte == UInt8(ascii: "\\") else { continue }
            let next = peek()
            place += 1
            if next == UInt8(ascii: "(") {
                // Its `)` continues the string.
                open.append(UInt8(ascii: "\""))
                return
            }
        }
    }

    private mutating func word() -> String {
        let start = place
        while let byte = peek() {
            if Self.isLetter(byte) || Self.isDigit(byte) {
                place += 1
            } else if byte == UInt8(ascii: ":"), place + 2 < text.count, text[place + 1] == byte,
                Self.isLetter(text[place + 2])
            {
                // The name of a module before the name.
                place += 2
            } else {
                break
            }
        }
        return String(decoding: text[start..<place], as: UTF8.self)
    }

    private mutating func skipSpace() {
        while let byte = peek() {
            if byte == UInt8(ascii: "#") {
                while let byte = peek(), byte != UInt8(ascii: "\n") { place += 1 }
            } else if byte == UInt8(ascii: " ") || (9...13).contains(byte) {
                place += 1
            } else {
                return
            }
        }
    }

    private func peek() -> UInt8? { place < text.count ? text[place] : nil }

    private static func isLetter(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return UInt8(ascii: "a") <= letter && letter <= UInt8(ascii: "z") || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9") }
}
