import FoundationEssentials
import Testing

/// A marble diagram in a doc comment.
struct DocumentedMarbles: Sendable, CustomTestStringConvertible {
    /// A call and the lines that show its result. The line of the call itself, if it has one, is named "".
    struct Call: Sendable {
        let text: String
        var lines: [MarbleLine]
    }

    /// The place of the declaration, `Operators/Map.swift:10`.
    let place: String
    /// What is extended: `ObservableType`, `Infallible`, `Single`, …; empty for a type.
    let kind: String
    /// The name of the function or type.
    let name: String
    let inputs: [MarbleLine]
    let calls: [Call]
    /// The frame after the last one of all lines.
    let width: Int

    var testDescription: String { "\(place) \(kind).\(name)" }

    init(_ block: [Substring], place: String, kind: String, name: String) throws(MarbleFault) {
        self.place = place
        self.kind = kind
        self.name = name
        let rows = block.map(Self.split)
        let zero = rows.compactMap(\.column).min() ?? 0
        var inputs: [MarbleLine] = [], calls: [Call] = []
        for row in rows {
            let line = try row.column.map { column throws(MarbleFault) in
                let text = String(repeating: " ", count: column - zero) + row.diagram
                return try MarbleLine(label: row.label, text: text[...])
            }
            if !row.isIndented, row.label.hasPrefix(name), row.label.dropFirst(name.count).first?.isLetter != true {
                calls.append(Call(text: row.label, lines: line.map { [$0] } ?? []))
            } else if let line, calls.isEmpty || !row.isIndented {
                inputs.append(line)
            } else if let line {
                calls[calls.count - 1].lines.append(line)
            } else {
                throw MarbleFault("\(place): `\(row.label)` has no diagram")
            }
        }
        self.inputs = inputs
        self.calls = calls
        width = (inputs + calls.flatMap(\.lines)).map(\.end).max() ?? 0
    }

    private static func split(_ row: Substring) -> (label: String, column: Int?, diagram: Substring, isIndented: Bool) {
        let label = row.drop { $0 == " " }
        guard let gap = label.firstRange(of: "  ") else { return (String(label), nil, "", row.first == " ") }
        let diagram = label[gap.lowerBound...].drop { $0 == " " }
        let column = row.distance(from: row.startIndex, to: diagram.startIndex)
        return (String(label[..<gap.lowerBound]), column, diagram, row.first == " ")
    }
}

extension DocumentedMarbles {
    /// All diagrams of the modules, and what is wrong with the others.
    static func all(in modules: [String]) throws -> (diagrams: [DocumentedMarbles], faults: [String]) {
        let found = try modules.map(all)
        return (found.flatMap(\.diagrams), found.flatMap(\.faults))
    }

    private static func all(in module: String) throws -> (diagrams: [DocumentedMarbles], faults: [String]) {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Sources/" + module
        var diagrams: [DocumentedMarbles] = [], faults: [String] = []
        for file in try FileManager.default.subpathsOfDirectory(atPath: root).sorted() where file.hasSuffix(".swift") {
            guard let data = FileManager.default.contents(atPath: root + "/" + file) else { continue }
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            var reader = DocCommentReader(file: file)
            for (index, line) in lines.enumerated() {
                do {
                    if let found = try reader.read(line, number: index + 1) { diagrams.append(found) }
                } catch {
                    faults.append("\(file):\(index + 1): \(error)")
                }
            }
        }
        return (diagrams, faults)
    }
}

/// Finds the fenced block in the doc comment of each declaration. A block without a language is a diagram if one of its
/// lines has the shape of one.
private struct DocCommentReader {
    let file: String
    private var kind = ""
    private var block: [Substring] = []
    private var isInBlock = false

    init(file: String) { self.file = file }

    mutating func read(_ line: Substring, number: Int) throws(MarbleFault) -> DocumentedMarbles? {
        let code = line.drop { $0 == " " }
        if code.hasPrefix("///") {
            let text = code.dropFirst(4)
            if text == "```" {
                isInBlock.toggle()
                if isInBlock { block = [] }
            } else if isInBlock {
                block.append(text)
            }
            return nil
        }
        // Attributes, also within `#if`.
        if code.hasPrefix("@") || code.hasPrefix("#") { return nil }
        defer { block = [] }
        if let first = line.first, first.isLetter { kind = Self.kind(line) }
        guard !block.isEmpty, let name = Self.name(code), block.contains(where: Self.isDiagram) else { return nil }
        return try DocumentedMarbles(
            block, place: "\(file):\(number)", kind: code == line ? "" : kind, name: name)
    }

    private static func isDiagram(_ row: Substring) -> Bool {
        let label = row.drop { $0 == " " }
        guard let gap = label.firstRange(of: "  ") else { return false }
        return label[gap.upperBound...].contains { "-|#^".contains($0) } && !row.contains("//")
    }

    private static func name(_ code: Substring) -> String? {
        for word in ["func ", "class ", "typealias ", "var "] {
            if let found = code.firstRange(of: word) {
                return String(code[found.upperBound...].filter { $0 != "`" }.prefix { $0.isLetter || $0.isNumber })
            }
        }
        return nil
    }

    private static func kind(_ line: Substring) -> String {
        let words = line.split { " :<{,".contains($0) }
        let modifiers = ["public", "open", "final", "extension", "struct", "class"]
        var type = words.first { !modifiers.contains(String($0)) } ?? ""
        // On the main actor, the closures differ, but not the operators.
        switch type {
        case "MainObservable", "ControlSequenceType": return "ObservableType"
        case "MainInfallible", "MainInfallibleType": return "InfallibleType"
        case "MainPrimitiveSequence", "MainPrimitiveSequenceType": type = "PrimitiveSequence"
        case _: break
        }
        guard type.hasPrefix("PrimitiveSequence") else { return String(type) }
        return words.first { $0.hasSuffix("Trait") && $0 != "Trait" }.map { String($0.dropLast(5)) }
            ?? "PrimitiveSequence"
    }
}
