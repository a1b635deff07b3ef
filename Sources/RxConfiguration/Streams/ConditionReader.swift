internal import RxStreams

/// Reads `enabled` of actions and streams.
struct ConditionReader {
    let reading: StreamReading

    /// The condition of a stream; nil for `true`, and, with faults added, for an invalid one.
    func stream(_ node: TOMLNode, _ path: [String]) -> EnabledCondition? {
        isSwitch(node, path, of: "stream") ? nil : condition(node, path)
    }

    /// The condition of an action; nil for `true`, and, with faults added, for an invalid one.
    func action(_ node: TOMLNode, _ path: [String]) -> EnabledCondition? {
        isSwitch(node, path, of: "action") ? nil : condition(node, path)
    }

    /// Where the program of an action's condition stands, for messages.
    static func placeOfProgram(in node: TOMLNode) -> String {
        var place = node.place
        if case .table(let members) = node.content, let when = members["when"] { place = when.place }
        return "\(place.file):\(place.line): enabled.when"
    }

    // MARK: Parts

    private func isSwitch(_ node: TOMLNode, _ path: [String], of kind: String) -> Bool {
        guard case .boolean(let isEnabled) = node.content else { return false }
        if !isEnabled {
            let article = kind == "action" ? "an" : "a"
            reading.faults.add(
                "must be true or a condition; to disable \(article) \(kind), use `rxctl disable`", at: node.place,
                key: path)
        }
        return true
    }

    private static let forms = ["reactor", "stream", "path-exists", "all", "any", "not"]

    private func condition(_ node: TOMLNode, _ path: [String]) -> EnabledCondition? {
        guard var table = TableReader(node, path: path, faults: reading.faults) else { return nil }
        defer { table.finish() }
        table.know(Self.forms)
        let values = Self.forms.compactMap { form in table.node(form).map { (form, $0) } }
        guard values.count == 1, let (form, value) = values.first else {
            _ = table.node("when")
            let names = Self.forms.map { "\"\($0)\"" }.joined(separator: ", ")
            table.fault(
                values.isEmpty
                    ? "needs one of \(names)" : "has more than one of \(names); combine them with \"all\" or \"any\"")
            return nil
        }
        let arguments = ArgumentReader(reading: reading)
        let path = path + [form]
        switch form {
        case "reactor":
            let name = arguments.name(value, .reactor, path)
            return when(&table).flatMap { when in name.map { .reactor($0, when: when) } }
        case "stream":
            let name = arguments.name(value, .stream, path)
            return when(&table).flatMap { when in name.map { .stream($0, when: when) } }
        case "path-exists": return arguments.path(value, path).map { .pathExists($0) }
        case "all": return conditions(value, path).map { .all($0) }
        case "any": return conditions(value, path).map { .any($0) }
        default: return condition(value, path).map { .not($0) }
        }
    }

    private func when(_ table: inout TableReader) -> StreamProgram? {
        guard let node = table.node("when") else {
            table.fault("needs \"when\", a jq program")
            return nil
        }
        return ArgumentReader(reading: reading).program(node, .condition, table.path + ["when"])
    }

    private func conditions(_ node: TOMLNode, _ path: [String]) -> [EnabledCondition]? {
        guard case .array(let elements) = node.content, !elements.isEmpty else {
            let what = if case .array = node.content { "an empty one" } else { node.kind }
            reading.faults.add("must be an array of conditions, not \(what)", at: node.place, key: path)
            return nil
        }
        let conditions = elements.enumerated().map { condition($1, path + ["[\($0)]"]) }
        return conditions.contains { $0 == nil } ? nil : conditions.compactMap { $0 }
    }
}
