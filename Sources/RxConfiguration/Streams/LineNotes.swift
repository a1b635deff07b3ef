internal import RxHost

/// Where the parts of the table that is being read begin, by their keys in it.
final class LineNotes {
    private var lines: [String: SourceLine] = [:]
    private var table: [String] = []

    /// Begins with the notes of another table.
    func begin(_ table: [String], at place: SourcePlace) {
        self.table = table
        lines = [:]
        add(place, key: table)
    }

    func add(_ place: SourcePlace, key: [String]) {
        guard key.starts(with: table) else { return }
        lines[dottedKey(Array(key.dropFirst(table.count)))] = SourceLine(file: place.file, line: place.line)
    }

    /// The notes of the table.
    func end() -> [String: SourceLine] { lines }
}
