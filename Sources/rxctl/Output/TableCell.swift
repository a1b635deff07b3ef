/// The text in one place of a table, with its color.
struct TableCell: ExpressibleByStringLiteral {
    /// The most characters of a cell: those of the longest error that is kept. An element may have millions.
    private static let mostCharacters = 16_384

    /// On one line, and without what could move the cursor or the direction of writing.
    let text: String
    /// The text where the column is abbreviated; nil if it stays the same.
    let brief: String?
    let style: TextColor?

    init(_ text: String, brief: String? = nil, _ style: TextColor? = nil) {
        self.text = Self.line(text)
        self.brief = brief.map(Self.line)
        self.style = style
    }

    init(stringLiteral text: String) { self.init(text) }

    private static func line(_ text: String) -> String {
        let start = text.prefix(mostCharacters)
        return (start.endIndex < text.endIndex ? start + "…" : String(start)).onOneLine
    }
}

extension String {
    /// The text with a space for each tab and each end of a line, and U+FFFD for other characters that control a
    /// terminal: control characters, and those that reverse the direction of writing, of this line and of what follows.
    var onOneLine: String {
        guard utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }) else { return self }
        return String(
            String.UnicodeScalarView(
                printable.unicodeScalars.map { scalar in
                    switch scalar.value {
                    case 0x09, 0x0A, 0x2028, 0x2029: " "
                    case 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
