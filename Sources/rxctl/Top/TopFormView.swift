internal import RxTerminal

/// A form: a row for each field, and what may be typed into it on the right.
struct TopFormView {
    /// Names are rarely longer.
    private static let mostName = 24
    /// The least cells of a field's text.
    private static let leastText = 16

    let form: TopForm

    func draw(in frame: inout Frame, _ area: TopLayout.Area) {
        frame.put(
            CellWidth.cut("── execute \(form.action) ──", area.columns), row: area.row, column: area.column, .dim)
        let longest = form.fields.map { CellWidth.of(name(of: $0)) }.max() ?? 0
        let nameWidth = min(longest, Self.mostName, area.columns / 3)
        let hintWidth = min(32, max(0, area.columns - nameWidth - 5 - Self.leastText))
        let textWidth = max(0, area.columns - nameWidth - 5 - hintWidth)
        let rows = max(1, area.rows - 1)
        let first = max(0, form.current - rows + 1)
        for (index, field) in form.fields.enumerated().dropFirst(first).prefix(rows) {
            let row = area.row + 1 + index - first
            let isCurrent = index == form.current
            frame.put(isCurrent ? "▸ " : "  ", row: row, column: area.column, Style(.cyan, bold: true))
            let name = CellWidth.fit(name(of: field), nameWidth)
            var column = frame.put(name, row: row, column: area.column + 2, isCurrent ? .bold : .plain)
            column += 1
            draw(field, isCurrent, in: &frame, row, column, textWidth)
            frame.put(CellWidth.cut(field.hint, hintWidth), row: row, column: column + textWidth + 1, .dim)
        }
        let used = 1 + min(rows, form.fields.count - first)
        drawFault(
            in: &frame,
            TopLayout.Area(
                row: area.row + used, column: area.column, rows: area.rows - used, columns: area.columns))
    }

    /// All of a fault that the last row of the screen cuts, below the fields.
    private func drawFault(in frame: inout Frame, _ area: TopLayout.Area) {
        guard let fault = form.fault, CellWidth.of("✕ \(fault)") > area.columns else { return }
        for (index, line) in WrappedText.lines(fault, area.columns).prefix(max(0, area.rows - 1)).enumerated() {
            frame.put(line, row: area.row + 1 + index, column: area.column, Style(.red))
        }
    }

    /// A required member has a star.
    private func name(of field: TopForm.Field) -> String { (field.key ?? "input") + (field.isRequired ? "*" : "") }

    private func draw(
        _ field: TopForm.Field, _ isCurrent: Bool, in frame: inout Frame, _ row: Int, _ column: Int, _ width: Int
    ) {
        if case .choice(let values) = field.entry {
            let text = field.choice.map { TopForm.text(values[$0]) } ?? "—"
            let shown = isCurrent ? "‹ \(CellWidth.cut(text, width - 4)) ›" : "  \(CellWidth.cut(text, width - 4))"
            frame.put(shown, row: row, column: column, isCurrent ? .bold : .plain, before: column + width)
            return
        }
        guard isCurrent else {
            frame.put(CellWidth.cut(field.line.text, width), row: row, column: column)
            return
        }
        let (text, cursor) = field.line.shown(width)
        let end = frame.put(text, row: row, column: column, before: column + width)
        // A place to type in, on terminals without a visible cursor, too.
        frame.put(String(repeating: "_", count: max(0, column + width - end)), row: row, column: end, .dim)
        frame.cursor = (row, column + cursor)
    }
}
