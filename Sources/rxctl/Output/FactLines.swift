internal import RxJSON
internal import RxTerminal

/// An object for people: a line for each member, nested members by their path. A value that does not fit is folded, and
/// an array of objects has a line for each of them.
enum FactLines {
    /// The cells that are kept for values beside a long path.
    private static let leastOfValue = 20
    /// With fewer cells for paths, all values are below them.
    private static let leastOfPath = 8

    static func lines(of value: JSONValue, width: Int, isColored: Bool = TextColor.isShown) -> [String] {
        let facts = facts(of: value)
        let longest = facts.map { CellWidth.of($0.path) }.max() ?? 0
        // A path that leaves no room has its value below it.
        let room = width - leastOfValue - TableLayout.gap
        let column = room < leastOfPath ? 0 : min(longest, room)
        let indent = String(repeating: " ", count: column == 0 ? 0 : column + TableLayout.gap)
        return facts.flatMap { path, texts -> [String] in
            let lines = texts.flatMap { fold($0, max(1, width - CellWidth.of(indent))) }
            let title = CellWidth.of(path) > column ? fold(path, width) : [path]
            let head = title.map { isColored ? TextColor.dim.applied(to: $0) : $0 }
            guard title.count == 1, CellWidth.of(path) <= column, let first = lines.first, !first.isEmpty else {
                return head + lines.filter { !$0.isEmpty }.map { indent + $0 }
            }
            let gap = String(repeating: " ", count: column - CellWidth.of(path) + TableLayout.gap)
            return [head[0] + gap + first] + lines.dropFirst().map { indent + $0 }
        }
    }

    /// The paths and the texts; strings without quotes.
    static func facts(of value: JSONValue, path: String = "") -> [(path: String, texts: [String])] {
        switch value {
        case .object(let object) where !object.isEmpty || path.isEmpty:
            object.flatMap { facts(of: $0.value, path: path.isEmpty ? $0.key : "\(path).\($0.key)") }
        case .array(let elements) where elements.contains { $0.object != nil }:
            [(path.onOneLine, elements.map { RawJSON($0).text.onOneLine })]
        case .string(let text):
            [(path.onOneLine, text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.onOneLine })]
        case .null, .bool, .number, .array, .object:
            [(path.onOneLine, [RawJSON(value).text.onOneLine])]
        }
    }

    /// The parts of a text that fit, each as long as it can be, but broken after a comma or a space in its second half.
    private static func fold(_ text: String, _ cells: Int) -> [String] {
        var lines: [String] = []
        var rest = text[...]
        while true {
            var (taken, end, breakAt) = (0, rest.startIndex, rest.startIndex)
            while end < rest.endIndex {
                taken += CellWidth.of(rest[end])
                // A character that is wider than the terminal is a line of its own.
                guard taken <= cells || end == rest.startIndex else { break }
                let next = rest.index(after: end)
                if taken > cells / 2, rest[end] == "," || rest[end] == " " { breakAt = next }
                end = next
            }
            guard end < rest.endIndex else { return lines + [String(rest)] }
            let place = breakAt > rest.startIndex ? breakAt : end
            var line = rest[..<place]
            if line.last == " " { line.removeLast() }
            lines.append(String(line))
            rest = rest[place...]
        }
    }
}

extension Substring {
    fileprivate var onOneLine: String { String(self).onOneLine }
}

extension DaemonSession {
    /// Prints an object: as JSON for programs, a member per line for people.
    ///
    /// - Parameters:
    ///   - forPeople: nil for people at a terminal.
    ///   - words: writes members in words, for people.
    func printFacts(_ json: RawJSON, forPeople: Bool? = nil, words: (JSONValue) -> JSONValue = { $0 }) {
        if forPeople ?? !isForPrograms {
            print(lines: FactLines.lines(of: words(json.value()), width: TerminalWidth.ofTable))
        } else {
            print(json)
        }
    }

    /// Prints lines that are made for a terminal, with their colors.
    func print(lines: [String]) {
        for line in lines { print(unquoted: line) }
    }
}
