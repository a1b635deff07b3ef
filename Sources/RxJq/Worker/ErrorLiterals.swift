internal import RxJSON

/// Finds the literals in the `error("…")` of a jq program.
struct ErrorLiterals {
    /// The texts of all `error("…")` whose argument is one string without `\(…)`.
    static func of(_ program: String) -> [String] {
        var scan = ErrorLiterals(text: Array(program.utf8))
        return scan.run()
    }

    private let text: [UInt8]
    private var place = 0

    private init(text: [UInt8]) { self.text = text }

    private mutating func run() -> [String] {
        var found: [String] = []
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "#"): skipComment()
            case UInt8(ascii: "\""): _ = string()
            case _ where Self.isWord(byte):
                if word() == Array("error".utf8), let text = argument() { found.append(text) }
            default: place += 1
            }
        }
        return found
    }

    /// The argument after `error`; nil, with nothing skipped that could hide another `error`, if it is not a literal.
    private mutating func argument() -> String? {
        skipSpace()
        guard take("(") else { return nil }
        skipSpace()
        guard peek() == UInt8(ascii: "\""), let text = string() else { return nil }
        skipSpace()
        return take(")") ? text : nil
    }

    /// Skips a string, with the programs within it. Its text, or nil if it has programs or does not end.
    private mutating func string() -> String? {
        let start = place
        var isLiteral = true
        place += 1
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                return isLiteral ? RawJSON(unchecked: Array(text[start..<place])).value().string : nil
            case UInt8(ascii: "\\"):
                place += 1
                if peek() == UInt8(ascii: "(") {
                    isLiteral = false
                    skipInterpolation()
                } else {
                    place += 1
                }
            default: place += 1
            }
        }
        return nil
    }

    /// Skips `(…)` within a string.
    private mutating func skipInterpolation() {
        var depth = 0
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                _ = string()
                continue
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
            place += 1
            if depth == 0 { return }
        }
    }

    private mutating func word() -> [UInt8] {
        let start = place
        while let byte = peek(), Self.isWord(byte) { place += 1 }
        return Array(text[start..<place])
    }

    private mutating func skipSpace() {
        while let byte = peek() {
            if byte == UInt8(ascii: "#") {
                skipComment()
            } else if byte == UInt8(ascii: " ") || (9...13).contains(byte) {
                place += 1
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        while let byte = peek(), byte != UInt8(ascii: "\n") { place += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private func peek() -> UInt8? { place < text.count ? text[place] : nil }

    /// The bytes of names, with the marks before those of fields (`.error`), variables, formats, and modules.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "$"),
            UInt8(ascii: "@"), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
