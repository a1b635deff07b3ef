/// All sources and operators as text for a terminal, from their tables.
public enum ReferenceText {
    /// The lines, each of at most `columns` columns unless a single word is longer.
    public static func lines(columns: Int = 80) -> [String] {
        var page = Page(columns: columns)
        page.add("SOURCES: one key of [stream.NAME] or of `on`", indent: 0)
        for source in SourceTable.all {
            page.entry(source.main, source.summary + (source.isLevel ? " A current value." : ""))
            page.add("Element: \(source.element)", indent: 6)
            for parameter in source.parameters { page.parameter(parameter) }
        }
        for family in StreamOperator.Family.allCases {
            page.add("", indent: 0)
            page.add("OPERATORS: \(family.rawValue.lowercased())", indent: 0)
            for row in OperatorTable.all where row.family == family {
                page.entry(row.main, row.summary + (row.needsLevel ? " Only for a current value." : ""))
                for parameter in row.parameters { page.parameter(parameter) }
            }
        }
        return page.lines
    }

    private struct Page {
        let columns: Int
        var lines: [String] = []

        mutating func entry(_ main: Parameter, _ summary: String) {
            add("", indent: 0)
            add("\(main.name) = \(main.wanted)", indent: 2, further: 6)
            add(summary, indent: 6)
        }

        mutating func parameter(_ parameter: Parameter) {
            let standard = parameter.standard.map { " (default: \($0))" } ?? ""
            let required = parameter.isRequired ? " (required)" : ""
            add(
                "\(parameter.name) = \(parameter.wanted): \(parameter.summary)\(required)\(standard)", indent: 6,
                further: 10)
        }

        /// Adds a paragraph; its further lines are indented by `further`.
        mutating func add(_ text: String, indent: Int, further: Int? = nil) {
            var line = String(repeating: " ", count: indent)
            var isEmpty = true
            for word in text.split(separator: " ") {
                if !isEmpty, line.count + 1 + word.count > columns {
                    lines.append(line)
                    line = String(repeating: " ", count: further ?? indent)
                    isEmpty = true
                }
                line += (isEmpty ? "" : " ") + word
                isEmpty = false
            }
            lines.append(isEmpty ? "" : line)
        }
    }
}
