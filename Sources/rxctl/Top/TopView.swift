internal import RxTerminal

/// The picture of a state: a pure function of the state, the size, and the time zone.
///
///     rxd 0.1.0 · up 3h12m · cpu 2.1% · mem 24.3 MiB · 3 in flight           ● live
///     ACTION        STATE               NEXT  RUN QUEUE LAST 20 ENDS            P50
///     deploy        ● executing           3m    2    10 ▃▁▂▅✕▂▁                1.2s
///     ── deploy ──────────────────────────────────────────────────────────────────
///     …what the selected item does, and its marbles
///     $ rxctl history deploy
///     /filter x cancel e execute d disable y why o output ← past q quit
///
/// A wide terminal has the selected item on the right. A small one loses the details, then the footer, then columns.
struct TopView {
    let state: TopState
    let layout: TopLayout
    /// The seconds that local time is ahead of UTC, by a time in milliseconds since 1970.
    var offset: @Sendable (Int64) -> Int = { LocalOffset.seconds(at: $0) }

    func frame() -> Frame {
        var frame = Frame(columns: layout.columns, rows: layout.rows)
        header(in: &frame)
        switch state.mode {
        case .list, .filter, .confirm, .reason: list(in: &frame)
        case .form(let form): TopFormView(form: form).draw(in: &frame, layout.body)
        case .text(let title, let lines, let first): text(title, lines, first, in: &frame)
        }
        TopFooter(state: state, layout: layout).draw(in: &frame)
        return frame
    }

    // MARK: The first row

    private func header(in frame: inout Frame) {
        let (mark, style) = connection
        let width = CellWidth.of(mark)
        let room = max(0, layout.columns - width - 1)
        frame.put(CellWidth.cut(facts.joined(separator: " · "), room), row: 0, column: 0, .bold)
        frame.put(mark, row: 0, column: max(0, layout.columns - width), style)
    }

    private var facts: [String] {
        guard let daemon = state.snapshot.daemon else { return ["rxd"] }
        let actions = state.snapshot.items.filter { $0.kind == .action }
        let inFlight = actions.reduce(0) { $0 + ($1.inFlight ?? 0) }
        let queued = actions.reduce(0) { $0 + ($1.queued ?? 0) }
        var facts = ["rxd \(daemon.version)", "up \(TopFigures.duration(state.snapshot.time - daemon.startedAt))"]
        if let share = state.load.share { facts.append("cpu \(TopFigures.share(share))") }
        if let memory = daemon.memory { facts.append("mem \(TopFigures.bytes(memory))") }
        facts.append("\(inFlight) in flight")
        if queued > 0 { facts.append("\(queued) queued") }
        return facts
    }

    private var connection: (String, Style) {
        if let time = state.past?.time {
            let ago = TopFigures.duration(max(0, state.snapshot.time - time))
            return ("◀ \(TopFigures.clock(time, offset: offset(time))), \(ago) ago", Style(.yellow, bold: true))
        }
        return switch state.connection {
        case .opening: ("◌ connecting", Style(.yellow))
        case .connected: state.isReadingLog ? ("◌ reading the log", Style(.yellow)) : ("● live", Style(.green))
        case .lost: ("✕ no daemon", Style(.red, bold: true))
        }
    }

    // MARK: The list and the selected item

    private func list(in frame: inout Frame) {
        let all = TopList.lines(of: state.items)
        let area = layout.list(lines: all.count)
        let table = TopTable(columns: area.columns, state: state, offset: offset)
        for (index, line) in TopList.shown(all, from: state.offset, rows: area.rows).enumerated() {
            switch line {
            case .heading(let kind): table.heading(kind, in: &frame, row: area.row + index)
            case .item(let item): table.draw(item, in: &frame, row: area.row + index)
            }
        }
        if all.isEmpty, area.rows > 0 {
            let text = state.filter.text.isEmpty ? "nothing is configured" : "nothing matches \(state.filter.text)"
            if case .connected = state.connection { frame.put(text, row: area.row, column: 0, .dim) }
        }
        guard let item = state.selected, let area = layout.details(lines: all.count) else { return }
        rule(item.name, in: &frame, area)
        let lines = TopDetails(item: item, state: state, columns: area.columns, offset: offset).lines
        for (index, line) in lines.prefix(max(0, area.rows - 1)).enumerated() {
            line.draw(in: &frame, row: area.row + 1 + index, column: area.column, before: area.column + area.columns)
        }
    }

    private func text(_ title: String, _ lines: [String], _ first: Int, in frame: inout Frame) {
        // The history does not have reasons.
        rule("why \(title)" + (state.past == nil ? "" : ", at present"), in: &frame, layout.body)
        let wrapped = lines.dropFirst(first).flatMap { WrappedText.lines($0, layout.columns) }
        for (index, line) in wrapped.prefix(max(0, layout.body.rows - 1)).enumerated() {
            frame.put(line, row: layout.body.row + 1 + index, column: 0)
        }
    }

    /// `── deploy ────`, and a line on the left of an area on the right.
    private func rule(_ title: String, in frame: inout Frame, _ area: TopLayout.Area) {
        let title = "── \(CellWidth.cut(title, max(0, area.columns - 8))) "
        let rest = String(repeating: "─", count: max(0, area.columns - CellWidth.of(title)))
        frame.put(title + rest, row: area.row, column: area.column, .dim)
        guard area.column > 0 else { return }
        for row in 0..<area.rows { frame.put("│", row: area.row + row, column: area.column - 1, .dim) }
    }
}
