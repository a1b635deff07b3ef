internal import RxTerminal

/// Rows of text for people, in columns that are aligned by the cells of a terminal. No line is wider than it.
///
/// Further rows may be added at any time. The widths grow as those need it; if other columns are shown then, because
/// one is no longer empty or does not fit any more, the headline is repeated.
struct Table {
    private let columns: [TableColumn]
    private let hasHeadline: Bool
    private let isColored: Bool
    /// The cells that the columns have needed so far, in full and abbreviated; 0 for one that has been empty.
    private var full: [Int]
    private var brief: [Int]
    /// The columns below the last headline.
    private var titled: [Int]?

    /// - Parameters:
    ///   - hasHeadline: whether the titles are above the rows.
    ///   - isColored: whether styles are shown.
    init(_ columns: [TableColumn], hasHeadline: Bool = true, isColored: Bool = TextColor.isShown) {
        self.columns = columns
        self.hasHeadline = hasHeadline
        self.isColored = isColored
        full = columns.map { hasHeadline && $0.showsEmpty ? CellWidth.of($0.title) : 0 }
        brief = columns.map { hasHeadline && $0.showsEmpty ? CellWidth.of($0.brief ?? $0.title) : 0 }
    }

    /// The lines of further rows.
    ///
    /// - Parameter width: the cells of a line; at least 1.
    mutating func lines(_ rows: [[TableCell]], width: Int) -> [String] {
        for row in rows { measure(row) }
        let layout = TableLayout(columns, full: full, brief: brief, width: width)
        var lines = rows.map { line($0, layout, width) }
        if hasHeadline, titled != layout.columns {
            titled = layout.columns
            let titles = columns.map { TableCell($0.title, brief: $0.brief, .bold) }
            lines.insert(line(titles, layout, width), at: 0)
        }
        return lines
    }

    private mutating func measure(_ row: [TableCell]) {
        for (place, cell) in row.enumerated() where !cell.text.isEmpty {
            let column = columns[place]
            full[place] = max(full[place], CellWidth.of(cell.text), hasHeadline ? CellWidth.of(column.title) : 0)
            brief[place] =
                if let title = column.brief {
                    max(brief[place], CellWidth.of(cell.brief ?? cell.text), hasHeadline ? CellWidth.of(title) : 0)
                } else {
                    full[place]
                }
        }
    }

    private func line(_ row: [TableCell], _ layout: TableLayout, _ width: Int) -> String {
        var line = ""
        // The cells of the line, and the spaces before the next text, which are not in it yet.
        var (used, gap) = (0, 0)
        for (place, cells) in zip(layout.columns, layout.widths) where place < row.count {
            let cell = row[place]
            let room = max(0, min(cells, width - used - gap))
            let isBrief = layout.isBrief && columns[place].brief != nil
            let text = CellWidth.cut(isBrief ? cell.brief ?? cell.text : cell.text, room)
            let padding = max(0, room - CellWidth.of(text))
            if columns[place].alignsRight { gap += padding }
            if !text.isEmpty {
                line += String(repeating: " ", count: gap)
                line += isColored ? cell.style?.applied(to: text) ?? text : text
                used += gap + CellWidth.of(text)
                gap = 0
            }
            gap += (columns[place].alignsRight ? 0 : padding) + TableLayout.gap
        }
        return line
    }
}

extension Table {
    /// Rows with aligned columns and without a headline, as wide as they are; the last column is not padded.
    static func lines(_ rows: [[String]]) -> [String] {
        let columns = (0..<(rows.map(\.count).max() ?? 0)).map { _ in TableColumn("") }
        var table = Table(columns, hasHeadline: false, isColored: false)
        return table.lines(rows.map { $0.map { TableCell($0) } }, width: Int.max)
    }
}
