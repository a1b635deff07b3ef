internal import TOMLKit

/// Text to `TOMLNode`: TOMLKit reads the values, `TOMLLines` finds their lines, which TOMLKit keeps to itself.
enum TOMLFile {
    /// Nil, with faults added, for a text that is not TOML.
    static func parse(_ file: ConfigurationFile, faults: FaultList) -> TOMLNode? {
        guard let text = String(validating: file.bytes, as: UTF8.self) else {
            faults.add("is not UTF-8", file: file.path, line: firstInvalidLine(file.bytes))
            return nil
        }
        // TOMLKit hands the text on as a C string and would stop here in silence.
        if let end = file.bytes.firstIndex(of: 0) {
            faults.add("a NUL byte", file: file.path, line: lineNumber(of: end, in: file.bytes))
            return nil
        }
        do {
            let table = try TOMLTable(string: text)
            let lines = TOMLLines(file.bytes)
            for line in lines.nulEscapes {
                faults.add("a string with a NUL character", file: file.path, line: line)
            }
            guard lines.nulEscapes.isEmpty else { return nil }
            let tree = Tree(file: file.path, lines: lines)
            return TOMLNode(place: SourcePlace(file: file.path, line: 1), content: tree.content(table, at: []))
        } catch {
            let syntax = error as? TOMLParseError
            faults.add(syntax?.description ?? "\(error)", file: file.path, line: syntax?.source.begin.line)
            return nil
        }
    }

    private struct Tree {
        let file: String
        let lines: TOMLLines

        func content(_ table: TOMLTable, at path: TOMLLines.Path) -> TOMLNode.Content {
            var members: [String: TOMLNode] = [:]
            for key in table.keys {
                if let value = table[key] { members[key] = node(value, at: path + [.key(key)]) }
            }
            return .table(members)
        }

        private func node(_ value: any TOMLValueConvertible, at path: TOMLLines.Path) -> TOMLNode {
            TOMLNode(place: SourcePlace(file: file, line: lines.line(of: path)), content: content(value, at: path))
        }

        private func content(_ value: any TOMLValueConvertible, at path: TOMLLines.Path) -> TOMLNode.Content {
            switch value.type {
            case .string: .string(value.string ?? "")
            case .int: .integer(value.int ?? 0)
            case .bool: .boolean(value.bool ?? false)
            case .array:
                .array((value.array.map(Array.init) ?? []).enumerated().map { node($1, at: path + [.index($0)]) })
            case .table: value.table.map { content($0, at: path) } ?? .table([:])
            case .double: .other("a float")
            case .date: .other("a date")
            case .time: .other("a time")
            case .dateTime: .other("a date-time")
            }
        }
    }

    private static func lineNumber(of index: Int, in bytes: [UInt8]) -> Int {
        bytes[..<index].count { $0 == UInt8(ascii: "\n") } + 1
    }

    private static func firstInvalidLine(_ bytes: [UInt8]) -> Int? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
    }
}
