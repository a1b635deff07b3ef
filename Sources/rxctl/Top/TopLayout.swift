/// Where things are on a screen of a size.
struct TopLayout {
    struct Area: Equatable {
        var row: Int
        var column: Int
        var rows: Int
        var columns: Int
    }

    /// From so many columns on, the selected item is on the right of the list.
    private static let wide = 120
    /// The columns of a list with all of its columns; on a wide screen, the rest is the selected item's.
    private static let listColumns = 77
    /// Rows below which there is no footer, and no selected item below the list.
    private static let (rowsForFooter, rowsForDetails) = (6, 14)
    /// The least rows of the selected item below the list: its state, and a line of marbles.
    private static let leastDetails = 9

    let columns: Int
    let rows: Int
    /// Whether the last row has the keys; a printed frame has none.
    let hasKeys: Bool

    init(columns: Int, rows: Int, hasKeys: Bool = true) {
        self.columns = columns
        self.rows = rows
        self.hasKeys = hasKeys
    }

    /// The row of the command line; nil if there is no room.
    var commandRow: Int? { rows < Self.rowsForFooter ? nil : rows - (hasKeys ? 2 : 1) }
    /// The row of the keys and of what is typed; nil if there is no room.
    var keysRow: Int? { rows < Self.rowsForFooter || !hasKeys ? nil : rows - 1 }

    /// Everything between the first row and the footer.
    var body: Area { Area(row: 1, column: 0, rows: (commandRow ?? rows) - 1, columns: columns) }

    private var isWide: Bool { columns >= Self.wide }

    /// The list, of so many lines.
    func list(lines: Int) -> Area {
        var area = body
        if isWide {
            area.columns = Self.listColumns
        } else if rows >= Self.rowsForDetails {
            area.rows = min(max(lines, 1), area.rows - Self.leastDetails)
        }
        return area
    }

    /// The selected item; nil if there is no room.
    func details(lines: Int) -> Area? {
        let list = list(lines: lines)
        if isWide {
            return Area(
                row: list.row, column: list.columns + 2, rows: list.rows, columns: columns - list.columns - 2)
        }
        guard rows >= Self.rowsForDetails else { return nil }
        return Area(row: list.row + list.rows, column: 0, rows: body.rows - list.rows, columns: columns)
    }
}
