/// One picture of a screen: rows of styled cells, and the place of the cursor if it is visible.
///
/// Text is put at a row and a column, from 0, and cut at the edges. Tabs and newlines become spaces, other
/// control characters U+FFFD: a text from elsewhere cannot control the terminal.
public struct Frame: Equatable, Sendable {
    /// One cell: a character and its style. A wide character takes two: the second one has no character.
    struct Cell: Equatable, Sendable {
        var character: Character?
        var style: Style

        static let empty = Cell(character: " ", style: .plain)
    }

    /// More columns or rows than any screen has; a terminal that reports more gets so many.
    public static let mostCells = 1000

    /// The number of columns.
    public let columns: Int
    /// The number of rows.
    public let rows: Int
    /// Where the cursor is; nil if it is hidden.
    public var cursor: (row: Int, column: Int)? {
        get { place.map { ($0.row, $0.column) } }
        set { place = newValue.map { Place(row: $0.row, column: $0.column) } }
    }

    private var cells: [Cell]
    private var place: Place?

    private struct Place: Equatable, Sendable {
        let row: Int
        let column: Int
    }

    /// An empty frame.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(columns, 1), Self.mostCells)
        self.rows = min(max(rows, 1), Self.mostCells)
        cells = Array(repeating: .empty, count: self.columns * self.rows)
    }

    subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

    /// Puts a text into a row, from a column on.
    ///
    /// - Parameter end: the column before which it is cut, without an ellipsis; the right edge by default.
    /// - Returns: the column after the text.
    @discardableResult
    public mutating func put(
        _ text: String, row: Int, column: Int, _ style: Style = .plain, before end: Int? = nil
    ) -> Int {
        let end = min(end ?? columns, columns)
        guard (0..<rows).contains(row), column >= 0 else { return column }
        var column = column
        for character in text {
            let shown = Self.shown(character)
            let width = CellWidth.of(shown)
            guard width > 0 else { continue }
            guard column + width <= end else { break }
            set(Cell(character: shown, style: style), row, column)
            if width == 2 { set(Cell(character: nil, style: style), row, column + 1) }
            column += width
        }
        return column
    }

    /// Changes the style of the cells in a range of a row.
    public mutating func restyle(row: Int, columns range: Range<Int>, _ change: (Style) -> Style) {
        guard (0..<rows).contains(row) else { return }
        for column in range.clamped(to: 0..<columns) {
            let index = row * columns + column
            cells[index].style = change(cells[index].style)
        }
    }

    /// Replaces a cell. What is left of a wide character that loses a half becomes a space.
    private mutating func set(_ cell: Cell, _ row: Int, _ column: Int) {
        let index = row * columns + column
        if cells[index].character == nil, cell.character != nil, column > 0 { cells[index - 1].character = " " }
        if column + 1 < columns, cells[index + 1].character == nil { cells[index + 1].character = " " }
        cells[index] = cell
    }

    private static func shown(_ character: Character) -> Character {
        guard let first = character.unicodeScalars.first else { return character }
        if character.isNewline || character == "\t" { return " " }
        switch first.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return "\u{FFFD}"
        // A change of the direction would mix up what follows.
        case .format where first.value != 0x200D: return "\u{FFFD}"
        default: return character
        }
    }
}

extension Frame {
    /// The rows as text, each without the spaces at its end.
    public var text: [String] { lines { _ in nil } }

    /// The rows with the escape sequences of their styles, each without the plain spaces at its end.
    public func styledText(colors: Bool) -> [String] { lines { $0.sequence(colors: colors) } }

    /// - Parameter sequence: selects a style; nil for none.
    private func lines(_ sequence: (Style) -> String?) -> [String] {
        (0..<rows).map { row in
            let cells = cells[row * columns..<(row + 1) * columns]
            let end = cells.lastIndex { $0 != .empty }.map { $0 + 1 } ?? cells.startIndex
            var line = ""
            var style = Style.plain
            for cell in cells[..<end] {
                if cell.style != style, let change = sequence(cell.style) {
                    line += change
                    style = cell.style
                }
                if let character = cell.character { line.append(character) }
            }
            if style != .plain, let change = sequence(.plain) { line += change }
            return sequence(.plain) == nil ? line.trimmedEnd : line
        }
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var rest = self[...]
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
