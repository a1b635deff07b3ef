internal import RxTerminal

/// The last two rows: the command line for what is shown, and the keys, a question, or what is being typed.
struct TopFooter {
    let state: TopState
    let layout: TopLayout

    func draw(in frame: inout Frame) {
        if let row = layout.commandRow {
            frame.put("$ ", row: row, column: 0, .dim)
            frame.put(CellWidth.cut(TopCommandLine.text(state), layout.columns - 2), row: row, column: 2)
        }
        guard let row = layout.keysRow else { return }
        switch state.mode {
        case .list: drawList(in: &frame, row)
        case .filter: type("/", state.filter, in: &frame, row)
        case .confirm(_, let question): frame.put(question, row: row, column: 0, Style(.yellow, bold: true))
        case .reason(_, let name, let line): type("Why is \(name) disabled? ", line, in: &frame, row)
        case .form(let form):
            if let fault = form.fault {
                frame.put(CellWidth.cut("✕ \(fault)", layout.columns), row: row, column: 0, Style(.red, bold: true))
            } else {
                keys([("Enter", "execute"), ("Tab ↑↓", "field"), ("←→", "choose"), ("Esc", "back")], in: &frame, row)
            }
        case .text: keys([("↑↓", "scroll"), ("Esc", "back")], in: &frame, row)
        }
    }

    private func drawList(in frame: inout Frame, _ row: Int) {
        if let message = state.message {
            let text = message.isFault ? "✕ \(message.text)" : "✓ \(message.text)"
            let style = message.isFault ? Style(.red, bold: true) : Style(.green)
            frame.put(CellWidth.cut(text, layout.columns), row: row, column: 0, style)
        } else if case .lost(let reason) = state.connection {
            let text = CellWidth.cut("✕ \(reason); connecting again", layout.columns)
            frame.put(text, row: row, column: 0, Style(.red, bold: true))
        } else {
            let others = state.past == nil ? Self.present : Self.past
            keys(others + [("q", "quit")], in: &frame, row)
        }
    }

    private static let present = [
        ("/", "filter"), ("x", "cancel"), ("e", "execute"), ("d", "disable"), ("y", "why"), ("o", "output"),
        ("←", "past"),
    ]
    private static let past = [("←→", "step"), ("Esc", "present"), ("/", "filter"), ("y", "why"), ("o", "output")]

    private func keys(_ keys: [(String, String)], in frame: inout Frame, _ row: Int) {
        var column = 0
        for (key, what) in keys {
            guard column + CellWidth.of(key) + CellWidth.of(what) < layout.columns else { return }
            column = frame.put(key, row: row, column: column, .bold)
            column = frame.put(" \(what)", row: row, column: column, .dim) + 2
        }
    }

    private func type(_ prompt: String, _ line: LineEditor, in frame: inout Frame, _ row: Int) {
        let column = frame.put(CellWidth.cut(prompt, layout.columns / 2), row: row, column: 0, .bold)
        let (text, cursor) = line.shown(layout.columns - column)
        frame.put(text, row: row, column: column)
        frame.cursor = (row, column + cursor)
    }
}
