internal import RxTerminal

/// Text in lines of so many cells, broken at spaces where that is possible.
enum WrappedText {
    /// The cells by which the lines after the first are indented, in addition to the indentation of the text.
    private static let hanging = 2

    static func lines(_ text: String, _ cells: Int) -> [String] {
        let cells = max(1, cells)
        let spaces = min(text.prefix { $0 == " " }.count + hanging, cells / 2)
        let indent = String(repeating: " ", count: spaces)
        var lines: [String] = []
        var line: String?
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let longer = line.map { "\($0) \(word)" } ?? String(word)
            if CellWidth.of(longer) <= cells {
                line = longer
                continue
            }
            if let line, line.contains(where: { $0 != " " }) { lines.append(line) }
            var rest = (lines.isEmpty ? line.map { "\($0) " } ?? "" : indent) + word
            while let end = end(of: cells, in: rest) {
                lines.append(String(rest[..<end]))
                rest = indent + rest[end...]
            }
            line = rest
        }
        return lines + [line ?? ""]
    }

    /// Where a text that takes more than so many cells is broken: behind as many characters as fit, and the first one
    /// that is not an indentation.
    private static func end(of cells: Int, in text: String) -> String.Index? {
        guard CellWidth.of(text) > cells else { return nil }
        var (taken, hasText) = (0, false)
        for index in text.indices {
            taken += CellWidth.of(text[index])
            if taken > cells, hasText { return index }
            if text[index] != " " { hasText = true }
        }
        return nil
    }
}

extension DaemonSession {
    /// Prints a text for people in lines that fit on the terminal.
    func print(wrapped text: String) {
        for line in WrappedText.lines(text, TerminalWidth.ofTable) { print(line) }
    }
}
