internal import RxJSON

/// Reads JSON from a file or a table: schemas and initial states.
struct ValueReader {
    /// Largest schema file, in bytes: `action.describe` must be able to return it in one message.
    static let largestSchema = 256 * 1024

    /// The directory that names of files are relative to.
    let directory: String
    let faults: FaultList

    /// Nil, with faults added, for a value that is not a schema, and for the empty table, which accepts everything.
    func readSchema(_ node: TOMLNode, path: [String]) -> JSONSchema? {
        switch node.content {
        case .string(let name):
            guard !name.isEmpty else {
                faults.add("must name a file", at: node.place, key: path)
                return nil
            }
            guard let text = readFile(name, node, path) else { return nil }
            return compile(text, file: name, node, path)
        case .table(let members) where members.isEmpty:
            return nil
        case .table:
            guard let value = readValue(node, path) else { return nil }
            return compile(RawJSON(value), file: "", node, path)
        case .integer, .float, .boolean, .array, .time:
            faults.add("must be a table or the name of a file, not \(node.kind)", at: node.place, key: path)
            return nil
        }
    }

    func readFile(
        _ name: String, _ node: TOMLNode, _ path: [String], atMost limit: Int = largestSchema
    ) -> RawJSON? {
        let file = name.hasPrefix("/") ? name : "\(directory)/\(name)"
        switch ConfigurationFiles.contents(of: file, atMost: limit) {
        case .failure(let error):
            faults.add("\(name): \(error)", at: node.place, key: path)
            return nil
        case .success(let bytes):
            do {
                return try RawJSON(validating: bytes, limits: JSONLimits(bytes: limit)).minified()
            } catch {
                faults.add("\(name): \(error)", at: node.place, key: path)
                return nil
            }
        }
    }

    /// `file` is the name of the schema's file, empty for a table: its references are relative to the directory.
    private func compile(_ text: RawJSON, file: String, _ node: TOMLNode, _ path: [String]) -> JSONSchema? {
        let files = SchemaFiles(directory: directory)
        do {
            let schema = try JSONSchema(text, base: files.uri(of: file), resolve: files.resolve)
            for unknown in SchemaKeywords.unknown(in: text.value()) {
                faults.warn(files.place(unknown.path, in: file) + unknown.message, at: node.place, key: path)
            }
            return schema
        } catch {
            for violation in error.violations {
                faults.add(files.place(violation.path, in: file) + violation.message, at: node.place, key: path)
            }
            return nil
        }
    }

    /// The value as JSON with sorted keys, so that equal tables give equal texts.
    func readValue(_ node: TOMLNode, _ path: [String]) -> JSONValue? {
        switch node.content {
        case .string(let text): return .string(text)
        case .integer(let number): return .number(JSONNumber(number))
        case .boolean(let value): return .bool(value)
        case .float(let number):
            if let number = JSONNumber(number) { return .number(number) }
            faults.add("cannot be represented in JSON", at: node.place, key: path)
            return nil
        case .time(let time):
            let kind = time.kind.rawValue
            faults.add("is \(kind); JSON has no \(kind.dropFirst(2))s", at: node.place, key: path)
            return nil
        case .array(let elements):
            let values = elements.enumerated().map { readValue($1, path + ["[\($0)]"]) }
            return values.contains { $0 == nil } ? nil : .array(values.compactMap { $0 })
        case .table(let members):
            var object = JSONObject()
            for (key, member) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                guard let value = readValue(member, path + [key]) else { return nil }
                object[key] = value
            }
            return .object(object)
        }
    }
}
