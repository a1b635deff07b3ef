internal import RxJSON

/// Text for people on a terminal.
enum Table {
    /// The rows with aligned columns; the last column is not padded.
    static func lines(_ rows: [[String]]) -> [String] {
        var widths: [Int] = []
        return lines(rows, &widths)
    }

    /// Further rows of a table.
    ///
    /// - Parameter widths: those of the columns so far, which grow as the rows need it.
    static func lines(_ rows: [[String]], _ widths: inout [Int]) -> [String] {
        let rows = rows.map { $0.map(\.printable) }
        let columns = max(rows.map(\.count).max() ?? 0, widths.count)
        widths = (0..<columns).map { column in
            rows.reduce(column < widths.count ? widths[column] : 0) { width, row in
                max(width, column < row.count ? row[column].count : 0)
            }
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                if column < row.count - 1 {
                    line += String(repeating: " ", count: widths[column] - cell.count + 2)
                }
            }
            return String(line.trimmingSuffix(" "))
        }
    }

    /// A row for each member of an object, nested members by their path; strings without quotes.
    static func facts(of value: JSONValue, path: String = "") -> [[String]] {
        guard case .object(let object) = value, !object.isEmpty || path.isEmpty else {
            return [[path, value.string ?? RawJSON(value).text]]
        }
        return object.flatMap { facts(of: $0.value, path: path.isEmpty ? $0.key : "\(path).\($0.key)") }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> Substring {
        var rest = self[...]
        while rest.last == character { rest.removeLast() }
        return rest
    }
}

extension DaemonSession {
    /// Prints an object: as JSON for programs, a member per line on a terminal.
    func printFacts(_ json: RawJSON) {
        if isForPrograms {
            print(json)
        } else {
            for line in Table.lines(Table.facts(of: json.value())) { print(line) }
        }
    }
}
