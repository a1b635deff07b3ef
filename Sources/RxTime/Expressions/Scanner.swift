/// Reads a text of ASCII characters from left to right.
struct Scanner {
    let text: String
    private let bytes: [UInt8]
    private let end: Int
    var position: Int

    /// A scanner of all of `text`, or of the part of it from one character to another.
    init(_ text: String, from start: Int = 0, to end: Int? = nil) {
        self.text = text
        bytes = Array(text.utf8)
        self.end = end ?? bytes.count
        position = start
    }

    var isAtEnd: Bool { position == end }

    /// The next character; nil at the end. A character that is not in ASCII appears as several, which match nothing.
    var next: Character? { peek(0) }

    func peek(_ ahead: Int) -> Character? {
        position + ahead < end ? Character(Unicode.Scalar(bytes[position + ahead])) : nil
    }

    /// Skips `expected` if it comes next; case does not matter.
    mutating func skip(_ expected: String) -> Bool {
        let count = expected.utf8.count
        guard position + count <= end else { return false }
        let found = bytes[position..<position + count]
        guard zip(found, expected.utf8).allSatisfy({ Self.lowercased($0) == Self.lowercased($1) }) else { return false }
        position += count
        return true
    }

    /// Skips spaces; the number of them.
    @discardableResult
    mutating func skipSpaces() -> Int {
        let start = position
        while next == " " || next == "\t" { position += 1 }
        return position - start
    }

    /// The digits that come next, perhaps none.
    mutating func digits() -> ArraySlice<UInt8> {
        let start = position
        while position < end, (0x30...0x39).contains(bytes[position]) { position += 1 }
        return bytes[start..<position]
    }

    /// The number that comes next, at most 999,999,999 and thus far beyond what any field allows; nil without digits.
    mutating func number() -> Int? {
        let digits = digits()
        guard !digits.isEmpty else { return nil }
        return digits.reduce(0) { min($0 * 10 + Int($1 - 0x30), 999_999_999) }
    }

    func fault(_ reason: String, at place: Int? = nil) -> ExpressionFault {
        ExpressionFault(text, at: place ?? position, reason)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
