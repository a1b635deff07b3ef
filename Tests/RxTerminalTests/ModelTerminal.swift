import RxTerminal

/// A terminal that knows what `FrameUpdate` writes, and nothing else: anything else is a fault.
struct ModelTerminal {
    private(set) var cells: [[String]]
    private(set) var styles: [[String]]
    private(set) var isCursorVisible = true
    private(set) var isSynchronizing = false
    private(set) var faults: [String] = []
    private var row = 0
    private var column = 0
    private var style = ""

    init(columns: Int, rows: Int) {
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        styles = Array(repeating: Array(repeating: "", count: columns), count: rows)
    }

    var cursor: (row: Int, column: Int)? { isCursorVisible ? (row, column) : nil }

    /// The rows, each without the spaces at its end.
    var text: [String] {
        cells.map { row in
            var line = row.joined()
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    mutating func write(_ bytes: [UInt8]) {
        var rest = Substring(String(decoding: bytes, as: UTF8.self))
        if !bytes.isEmpty && !rest.hasPrefix("\u{1B}[?2026h") { faults.append("not synchronized") }
        while let character = rest.popFirst() {
            guard character == "\u{1B}" else {
                put(character)
                continue
            }
            guard rest.popFirst() == "[" else { return faults.append("an escape that is no CSI") }
            let parameters = rest.prefix { !$0.isLetter }
            rest = rest.dropFirst(parameters.count)
            obey(rest.popFirst() ?? "?", String(parameters))
        }
        if isSynchronizing { faults.append("the update has no end") }
    }

    private mutating func obey(_ final: Character, _ parameters: String) {
        switch (final, parameters) {
        case ("h", "?2026"): isSynchronizing = true
        case ("l", "?2026"): isSynchronizing = false
        case ("h", "?25"): isCursorVisible = true
        case ("l", "?25"): isCursorVisible = false
        case ("J", "2"):
            for row in cells.indices {
                for column in cells[row].indices { (cells[row][column], styles[row][column]) = (" ", "") }
            }
        case ("H", _):
            let numbers = parameters.split(separator: ";").compactMap { Int($0) }
            (row, column) = (numbers[0] - 1, numbers[1] - 1)
        case ("m", _): style = parameters == "0" ? "" : parameters
        default: faults.append("unknown: CSI \(parameters) \(final)")
        }
    }

    private mutating func put(_ character: Character) {
        let width = CellWidth.of(character)
        guard cells.indices.contains(row), column + width <= cells[row].count else {
            return faults.append("beyond the edge: \(character) at \(row), \(column)")
        }
        // What is left of a wide character is a space.
        if cells[row][column].isEmpty, column > 0 { cells[row][column - 1] = " " }
        let next = column + width
        if next < cells[row].count, cells[row][next].isEmpty { cells[row][next] = " " }
        cells[row][column] = String(character)
        for cell in column..<next { styles[row][cell] = style }
        if width == 2 { cells[row][column + 1] = "" }
        column = next
    }
}
