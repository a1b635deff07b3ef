internal import RxTerminal

/// The rows of the list. A column that does not fit is left out, those on the right first.
struct TopTable {
    /// The cells of the columns after the state, each with a space before it.
    private static let (next, inFlight, queued, ends, median) = (7, 5, 6, 21, 7)
    /// The least cells of the name and the state.
    private static let (leastName, leastState) = (14, 14)
    /// Names are rarely longer; the state has the rest.
    private static let mostName = 24

    let columns: Int
    let state: TopState
    let offset: @Sendable (Int64) -> Int
    /// The columns after the name and the state, by the cells that they need.
    private let widths: [Int]
    private let nameWidth: Int
    private let stateWidth: Int

    init(columns: Int, state: TopState, offset: @escaping @Sendable (Int64) -> Int) {
        self.columns = columns
        self.state = state
        self.offset = offset
        var left = columns - 2 - Self.leastName - Self.leastState
        var widths: [Int] = []
        for width in [Self.next, Self.inFlight, Self.queued, Self.ends, Self.median] {
            guard left >= width else { break }
            left -= width
            widths.append(width)
        }
        self.widths = widths
        let flexible = columns - 2 - widths.reduce(0, +)
        let longest = state.snapshot.items.map { CellWidth.of($0.name) }.max() ?? 0
        nameWidth = max(1, min(max(longest, 8), Self.mostName, max(Self.leastName, flexible - 18), flexible / 2 + 1))
        stateWidth = max(0, columns - 3 - nameWidth - widths.reduce(0, +))
    }

    // MARK: Rows

    func heading(_ kind: TopItem.Kind, in frame: inout Frame, row: Int) {
        let titles: [String] =
            switch kind {
            case .action: ["NEXT", "RUN", "QUEUE", " LAST 20 ENDS", "P50"]
            case .stream: ["NEXT"]
            case .reactor: []
            }
        var column = frame.put(
            "  " + CellWidth.fit(kind.rawValue.uppercased(), nameWidth) + " " + CellWidth.fit("STATE", stateWidth),
            row: row, column: 0, .bold, before: columns)
        for (title, width) in zip(titles, widths) {
            let text = title.hasPrefix(" ") ? CellWidth.fit(title, width) : Self.right(title, width)
            column = frame.put(text, row: row, column: column, .bold, before: columns)
        }
        if kind == .stream { frame.put("  STARTS", row: row, column: column, .bold, before: columns) }
    }

    func draw(_ item: TopItem, in frame: inout Frame, row: Int) {
        let isSelected = item.id == state.selection
        frame.put(isSelected ? "▸ " : "  ", row: row, column: 0, Style(.cyan, bold: true))
        frame.put(
            CellWidth.fit(item.name, nameWidth), row: row, column: 2, isSelected ? .bold : .plain, before: columns)
        let level = TopLevel(item.level)
        let text = CellWidth.cut(level.brief, stateWidth)
        frame.put(text, row: row, column: 3 + nameWidth, level.style, before: columns)
        let column = 3 + nameWidth + stateWidth
        if item.kind == .action { figures(of: item, in: &frame, row, column) }
        if item.kind == .stream { times(of: item, in: &frame, row, column) }
        if isSelected { frame.restyle(row: row, columns: 0..<columns) { $0.reversed } }
    }

    private func figures(of item: TopItem, in frame: inout Frame, _ row: Int, _ start: Int) {
        let texts = [
            nextText(item), item.inFlight.flatMap { $0 == 0 ? nil : TopFigures.count($0) } ?? "",
            item.queued.flatMap { $0 == 0 ? nil : TopFigures.count($0) } ?? "", nil,
            item.ends?.median.map(TopFigures.duration) ?? "",
        ]
        var column = start
        for (text, width) in zip(texts, widths) {
            if let text {
                frame.put(Self.right(text, width), row: row, column: column, before: columns)
            } else {
                for (index, bar) in TopBars.cells(item.ends ?? []).enumerated() {
                    frame.put(String(bar.character), row: row, column: column + 1 + index, bar.style, before: columns)
                }
            }
            column += width
        }
    }

    private func times(of item: TopItem, in frame: inout Frame, _ row: Int, _ start: Int) {
        guard let width = widths.first else { return }
        frame.put(Self.right(nextText(item), width), row: row, column: start, before: columns)
        let targets = item.targets.joined(separator: " ")
        let column = start + width + 2
        frame.put(CellWidth.cut(targets, columns - column), row: row, column: column, .dim, before: columns)
    }

    private func nextText(_ item: TopItem) -> String {
        item.next.map { TopFigures.until($0, from: state.time) } ?? ""
    }

    /// Aligned on the right, with a space before it.
    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - CellWidth.of(text))) + text
    }
}
