import RxStreams

/// The generated sections of `docs/streams.md`, by the word in their marker.
enum StreamsPage {
    static let sections: [String: @Sendable () -> String] = ["sources": sources, "operators": operators]

    /// `page` with each section between `<!-- generated: NAME -->` and `<!-- end -->` made anew.
    ///
    /// - Returns: the new page, and the names of the sections that it has.
    static func regenerate(_ page: String) -> (page: String, sections: [String]) {
        var lines: [Substring] = []
        var found: [String] = []
        var isSkipping = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "<!-- end -->" { isSkipping = false }
            if !isSkipping { lines.append(line) }
            guard line.hasPrefix("<!-- generated: "), line.hasSuffix(" -->") else { continue }
            let name = String(line.dropFirst(16).dropLast(4))
            found.append(name)
            isSkipping = true
            lines += [""] + (sections[name]?() ?? "").split(separator: "\n", omittingEmptySubsequences: false) + [""]
        }
        return (lines.joined(separator: "\n"), found)
    }

    // MARK: Sections

    private static func sources() -> String {
        SourceTable.all.map { source in
            var text = "### `\(source.name)`\n\n\(source.summary)"
            if source.isLevel { text += " The elements are a current value." }
            if source.needsManage { text += " The stream needs the right `manage`." }
            return text + "\n\n\(value(source.main)) Element: \(code(source.element))." + table(source.parameters)
        }.joined(separator: "\n\n")
    }

    private static func operators() -> String {
        StreamOperator.Family.allCases.map { family in
            let rows = OperatorTable.all.filter { $0.family == family }
            return "### \(family.rawValue)\n\n"
                + rows.map { row in
                    var text = "#### `\(row.name)`\n\n\(row.summary)"
                    if row.needsLevel { text += " Only for a current value." }
                    if row.keepsLevel { text += " A current value stays one." }
                    return text + "\n\n\(value(row.main))" + table(row.parameters)
                }.joined(separator: "\n\n")
        }.joined(separator: "\n\n")
    }

    // MARK: Markdown

    private static func value(_ main: Parameter) -> String { "Value: \(main.wanted)." }

    /// After an empty line; nothing for no parameters.
    private static func table(_ parameters: [Parameter]) -> String {
        guard !parameters.isEmpty else { return "" }
        let head = ["key", "value", "default", "meaning"]
        let rows = parameters.map { parameter in
            let standard = parameter.isRequired ? "required" : parameter.standard ?? ""
            return ["`\(parameter.name)`", parameter.wanted, standard, parameter.summary]
        }
        return "\n\n"
            + ([head, head.map { _ in "---" }] + rows).map { cells in
                "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |"
            }.joined(separator: "\n")
    }

    /// JSON is shown as code, a word is not.
    private static func code(_ element: String) -> String {
        guard element.hasPrefix("{"), let end = element.lastIndex(of: "}") else { return element }
        return "`\(element[...end])`\(element[element.index(after: end)...])"
    }
}
