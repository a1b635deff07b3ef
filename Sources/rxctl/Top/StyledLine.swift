internal import RxTerminal

/// A line of texts, each in its style.
struct StyledLine {
    private var spans: [(text: String, style: Style)]

    init(_ text: String, _ style: Style = .plain) { spans = [(text, style)] }

    func draw(in frame: inout Frame, row: Int, column: Int, before end: Int) {
        var column = column
        for span in spans {
            column = frame.put(
                CellWidth.cut(span.text, end - column), row: row, column: column, span.style, before: end)
        }
    }

    static func + (one: StyledLine, other: StyledLine) -> StyledLine {
        var line = one
        line.spans += other.spans
        return line
    }
}
