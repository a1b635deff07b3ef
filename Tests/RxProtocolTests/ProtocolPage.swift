import RxJSON
import RxProtocol

/// The generated sections of `docs/protocol.md`, by the word in their marker.
enum ProtocolPage {
    static let sections: [String: @Sendable () -> String] = [
        "methods": methods, "limits": limits, "errors": errors, "types": types,
    ]

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

    private static func methods() -> String {
        Method.allCases.map { method in
            let contract = method.contract
            var text = "### `\(method.rawValue)`\n\n\(contract.summary)\n\n"
            if contract.parameters.isEmpty {
                text += "No parameters."
            } else {
                text += table(
                    ["parameter", "type", "", "meaning"],
                    contract.parameters.map {
                        ["`\($0.name)`", link($0.type), $0.required ? "required" : "", $0.summary]
                    })
            }
            text += "\n\nResult: \(link(contract.result))."
            if !contract.errors.isEmpty {
                text += " Errors: \(contract.errors.map { "[`\($0.name)`](#errors)" }.joined(separator: ", "))."
            }
            return text
        }.joined(separator: "\n\n")
    }

    private static func limits() -> String {
        table(
            ["limit", "default", "meaning"],
            zip(Limits.descriptions, Limits().fields).map { ["`\($0.name)`", "\($1.value)", $0.summary] })
    }

    private static func errors() -> String {
        table(
            ["code", "name", "meaning", "facts in `data`"],
            ErrorCode.allCases.map { code in
                let facts = code.facts.map { "`\($0.name)`\($0.required ? "" : "?"): \(link($0.type)). \($0.summary)" }
                return ["\(code.rawValue)", "`\(code.name)`", code.meaning, facts.joined(separator: "<br>")]
            })
    }

    private static func types() -> String {
        let codes = Set(ErrorCode.allCases.flatMap { [$0.type.name, $0.dataType.name] })
        return NamedType.all.filter { !codes.contains($0.name) }.map(section).joined(separator: "\n\n")
    }

    private static func section(_ type: NamedType) -> String {
        let text = "### \(type.name)\n\n\(type.summary)\n\n"
        switch type.shape {
        case .text(let pattern):
            return text + "A string that matches `\(pattern)`."
        case .union where type.name == "Error":
            return text + "`{\"code\":…,\"message\":…,\"data\":{\"name\":…,…}}`, see [Errors](#errors)."
        case .union(let types):
            return text + "One of: \(types.map(link).joined(separator: "; "))."
        case .record(let fields, _):
            return text
                + table(
                    ["field", "type", "", "meaning"],
                    fields.map { ["`\($0.name)`", link($0.type), $0.required ? "" : "optional", $0.summary] })
        }
    }

    // MARK: Markdown

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        ([head, head.map { _ in "---" }] + rows).map { cells in
            "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |"
        }.joined(separator: "\n")
    }

    private static func link(_ type: ValueType) -> String {
        switch type {
        case .any: return "any JSON value"
        case .null: return "null"
        case .boolean: return "boolean"
        case .integer(nil, nil): return "integer"
        case .integer(let minimum?, nil): return "integer ≥ \(minimum)"
        case .integer(nil, let maximum?): return "integer ≤ \(maximum)"
        case .integer(let minimum?, let maximum?):
            return minimum == maximum ? "\(minimum)" : "integer from \(minimum) to \(maximum)"
        case .number: return "number"
        case .string: return "string"
        case .word(let words): return words.map { "`\($0)`" }.joined(separator: ", ")
        case .array(let type): return "array of \(link(type))"
        case .map(let key, let type): return "object: \(key) → \(link(type))"
        case .either(let types): return types.map(link).joined(separator: " or ")
        case .named(let type): return "[\(type.name)](#\(type.name.lowercased()))"
        }
    }
}
