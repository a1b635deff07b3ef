internal import CToml

/// Parses TOML into `TOMLNode`s.
enum TOMLFile {
    /// Nil, with faults added, for a text that is not TOML.
    static func parse(_ file: ConfigurationFile, faults: FaultList) -> TOMLNode? {
        // toml++ reports this too, but only names the byte.
        guard String(validating: file.bytes, as: UTF8.self) != nil else {
            faults.add("is not UTF-8", file: file.path, line: firstInvalidLine(file.bytes))
            return nil
        }
        var fault = CTomlFault()
        let parsed = file.bytes.withUnsafeBytes { bytes in
            CTomlParse(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, &fault)
        }
        guard let document = parsed else {
            let message = withUnsafeBytes(of: fault.message) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            faults.add(message, file: file.path, line: Int(fault.line))
            return nil
        }
        defer { CTomlFree(document) }
        let tree = Tree(file: file.path, faults: faults)
        return tree.node(CTomlRoot(document)!, line: 1, path: [])
    }

    private static func firstInvalidLine(_ bytes: [UInt8]) -> Int? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
    }
}

/// Converts the tree of toml++ into nodes.
private struct Tree {
    let file: String
    let faults: FaultList

    func node(_ value: OpaquePointer, line: Int, path: [String]) -> TOMLNode {
        let place = SourcePlace(file: file, line: line)
        return TOMLNode(place: place, content: content(value, place, path))
    }

    private func content(_ value: OpaquePointer, _ place: SourcePlace, _ path: [String]) -> TOMLNode.Content {
        switch CTomlKindOf(value) {
        case CTomlTable:
            let members = members(of: value).map { ($0.key, node($0.value, line: $0.line, path: path + [$0.key])) }
            return .table(Dictionary(members) { first, _ in first })
        case CTomlArray:
            return .array(
                members(of: value).enumerated().map { index, element in
                    node(element.value, line: element.line, path: path + ["[\(index)]"])
                })
        case CTomlString:
            let text = string(value)
            // Every string becomes a C string somewhere.
            if text.utf8.contains(0) { faults.add("must not contain a NUL character", at: place, key: path) }
            return .string(text)
        case CTomlInteger: return .integer(Int(CTomlIntegerOf(value)))
        case CTomlBoolean: return .boolean(CTomlBooleanOf(value))
        case CTomlFloat: return .float(CTomlFloatOf(value))
        case CTomlDate: return .time(TOMLTime(kind: .date, text: timeText(value)))
        case CTomlTime: return .time(TOMLTime(kind: .time, text: timeText(value)))
        case _: return .time(TOMLTime(kind: .dateTime, text: timeText(value)))
        }
    }

    private func timeText(_ value: OpaquePointer) -> String {
        String(unsafeUninitializedCapacity: Int(CTomlTimeBytes)) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { CTomlTimeOf(value, $0.baseAddress, $0.count) }
        }
    }

    private func string(_ value: OpaquePointer) -> String {
        var length = 0
        let start = CTomlStringOf(value, &length)
        return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }

    private struct Member {
        let key: String
        let line: Int
        let value: OpaquePointer
    }

    private func members(of value: OpaquePointer) -> [Member] {
        var members: [Member] = []
        withUnsafeMutablePointer(to: &members) { context in
            CTomlForEach(value, context) { context, key, length, line, value in
                let name = String(decoding: UnsafeRawBufferPointer(start: key, count: length), as: UTF8.self)
                context!.assumingMemoryBound(to: [Member].self).pointee.append(
                    Member(key: name, line: Int(line), value: value!))
            }
        }
        return members
    }
}
