internal import RxTerminal

/// Text in lines of so many cells, broken at spaces where that is possible.
enum WrappedText {
    static func lines(_ text: String, _ cells: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let longer = line.isEmpty ? String(word) : "\(line) \(word)"
            if CellWidth.of(longer) <= cells || line.isEmpty {
                line = longer
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return lines + [line]
    }
}
