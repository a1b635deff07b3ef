internal import RxJSON
internal import RxStreams

/// Reads arguments by the parameters of `SourceTable` and `OperatorTable`.
struct ArgumentReader {
    let reading: StreamReading

    /// The values of the main parameter and the others by their names; nil, with faults added, if one is missing or
    /// invalid.
    func read(_ main: Parameter, _ others: [Parameter], from table: inout TableReader) -> [String: ArgumentValue]? {
        var arguments: [String: ArgumentValue] = [:]
        var isValid = true
        for parameter in [main] + others {
            guard let node = table.node(parameter.name) else {
                guard parameter.isRequired else { continue }
                table.fault("needs \"\(parameter.name)\", \(parameter.wanted)")
                isValid = false
                continue
            }
            guard let value = value(node, parameter, table.path + [parameter.name]) else {
                isValid = false
                continue
            }
            arguments[parameter.name] = value
        }
        return isValid && hasMeaning(main, others, arguments, table) ? arguments : nil
    }

    /// A main argument `true` in place of a value needs another argument that states what the value would.
    private func hasMeaning(
        _ main: Parameter, _ others: [Parameter], _ arguments: [String: ArgumentValue], _ table: TableReader
    ) -> Bool {
        let optional = others.filter { !$0.isRequired }
        guard main.kinds.count > 1, arguments[main.name] == .boolean(true), !optional.isEmpty,
            !optional.contains(where: { arguments[$0.name] != nil })
        else { return true }
        let names = optional.map { "\"\($0.name)\"" }.joined(separator: " or ")
        let kind = main.kinds.first { $0 != .flag }.map(\.description) ?? ""
        table.fault("needs \(names) if \"\(main.name)\" is not \(kind)")
        return false
    }

    private func value(_ node: TOMLNode, _ parameter: Parameter, _ path: [String]) -> ArgumentValue? {
        guard let kind = parameter.kinds.first(where: { $0.accepts(node.content) }) else {
            return refuse("must be \(parameter.wanted), not \(node.kind)", node, path)
        }
        switch kind {
        case .flag, .boolean:
            guard case .boolean(let value) = node.content else { return nil }
            if kind == .flag, !value { return refuse("must be true; to leave it out, remove the key", node, path) }
            return .boolean(value)
        case .count(let range):
            guard case .integer(let number) = node.content else { return nil }
            return range.contains(number) ? .count(number) : refuse("must be \(kind), not \(number)", node, path)
        case .duration(let least): return duration(node, atLeast: least, path).map { .duration($0) }
        case .json: return reading.values.readValue(node, path).map { .json(RawJSON($0)) }
        case .program(let use): return program(node, use, path).map { .program($0) }
        case .texts, .choices, .words, .actions: return texts(node, kind, path).map { .texts($0) }
        case .text, .choice, .path, .pointer, .action, .reactor, .stream:
            return text(node, kind, path).map { .text($0) }
        case .time, .zone: return TimeReader(reading: reading).value(node, kind, path)
        case .table(let keys): return table(node, keys, path).map { .table($0) }
        case .source: return SourceReader(reading: reading).source(node, path).map { .source($0) }
        case .sources: return sources(node, path).map { .sources($0) }
        case .named: return named(node, path).map { .named($0) }
        case .steps: return StepReader(reading: reading).steps(node, path).map { .steps($0) }
        case .each: return each(node, path)
        }
    }

    private func refuse<Value>(_ message: String, _ node: TOMLNode, _ path: [String]) -> Value? {
        reading.faults.add(message, at: node.place, key: path)
        return nil
    }

    // MARK: Texts

    /// A jq program of a stream.
    func program(_ node: TOMLNode, _ use: StreamProgram.Use, _ path: [String]) -> StreamProgram? {
        guard case .string(let text) = node.content else {
            return refuse("must be a jq program in a string, not \(node.kind)", node, path)
        }
        reading.notes.add(node.place, key: path)
        let program = StreamProgram(text, use)
        reading.programs.add(program, at: node.place, key: path)
        return program
    }

    /// The name of something that there is.
    func name(_ node: TOMLNode, _ kind: StreamNames.Kind, _ path: [String]) -> String? {
        guard case .string(let text) = node.content else {
            return refuse("must be the name of a \(kind.rawValue), not \(node.kind)", node, path)
        }
        if let message = reading.names.fault(text, kind) { return refuse(message, node, path) }
        return text
    }

    /// An absolute path.
    func path(_ node: TOMLNode, _ path: [String]) -> String? {
        guard case .string(let text) = node.content, text.hasPrefix("/") else {
            let what = if case .string(let text) = node.content { "\"\(text)\"" } else { node.kind }
            return refuse("must be \(Parameter.Kind.path), not \(what)", node, path)
        }
        return text
    }

    private func text(_ node: TOMLNode, _ kind: Parameter.Kind, _ path: [String]) -> String? {
        guard case .string(let text) = node.content else { return nil }
        switch kind {
        case .action: return name(node, .action, path)
        case .reactor: return name(node, .reactor, path)
        case .stream: return name(node, .stream, path)
        case .path: return self.path(node, path)
        case .choice(let words):
            return words.contains(text) ? text : refuse("must be \(kind), not \"\(text)\"", node, path)
        case .pointer:
            return (try? JSONPointer(text)) != nil ? text : refuse("must be \(kind), not \"\(text)\"", node, path)
        default: return text.isEmpty ? refuse("must not be empty", node, path) : text
        }
    }

    private func texts(_ node: TOMLNode, _ kind: Parameter.Kind, _ path: [String]) -> [String]? {
        let elements: [(node: TOMLNode, path: [String])]
        if case .array(let nodes) = node.content {
            elements = nodes.enumerated().map { ($1, path + ["[\($0)]"]) }
        } else {
            elements = [(node, path)]
        }
        guard !elements.isEmpty else { return refuse("must not be empty", node, path) }
        let texts = elements.enumerated().map { index, element in
            word(element.node, kind, element.path, isFirst: index == 0)
        }
        return texts.contains { $0 == nil } ? nil : texts.compactMap { $0 }
    }

    private func word(_ node: TOMLNode, _ kind: Parameter.Kind, _ path: [String], isFirst: Bool) -> String? {
        guard case .string(let text) = node.content else {
            return refuse("must be a string, not \(node.kind)", node, path)
        }
        switch kind {
        case .actions: return text == "*" ? text : name(node, .action, path)
        case .choices(let words):
            let wanted = Parameter.Kind.choice(words)
            return words.contains(text) ? text : refuse("must be \(wanted), not \"\(text)\"", node, path)
        case .words:
            // An argument may be empty, a program not.
            return isFirst && text.isEmpty ? refuse("must name a program", node, path) : text
        default: return text.isEmpty ? refuse("must not be empty", node, path) : text
        }
    }

    private func table(_ node: TOMLNode, _ keys: [String], _ path: [String]) -> [String: String]? {
        guard case .table(let members) = node.content, var table = TableReader(node, path: path, faults: reading.faults)
        else { return nil }
        guard !members.isEmpty else { return refuse("is empty; it would match everything", node, path) }
        var texts: [String: String] = [:]
        let known = keys.isEmpty ? members.keys.sorted() : keys
        for key in known where table.isGiven(key) { texts[key] = table.string(key) }
        table.know(keys)
        table.finish()
        return texts.count == members.count ? texts : nil
    }

    /// Microseconds.
    private func duration(_ node: TOMLNode, atLeast least: Int64, _ path: [String]) -> Int64? {
        guard case .string(let text) = node.content else { return nil }
        guard let duration = Duration(rxText: text) else {
            return refuse(
                "must be a duration such as \"500ms\", \"10s\" or \"1h30m\", not \"\(text)\"", node, path)
        }
        guard duration >= .microseconds(least) else {
            return refuse("must be at least \"\(Duration.microseconds(least).rxText)\"", node, path)
        }
        return duration.microseconds
    }

    // MARK: Parts

    private func sources(_ node: TOMLNode, _ path: [String]) -> [SourceDefinition]? {
        guard case .array(let elements) = node.content else { return nil }
        guard !elements.isEmpty else { return refuse("must not be empty", node, path) }
        let sources = elements.enumerated().map {
            SourceReader(reading: reading).source($1, path + ["[\($0)]"])
        }
        return sources.contains { $0 == nil } ? nil : sources.compactMap { $0 }
    }

    private func named(_ node: TOMLNode, _ path: [String]) -> [NamedSource]? {
        guard case .table(let members) = node.content else { return nil }
        guard !members.isEmpty else { return refuse("must not be empty", node, path) }
        let sources = members.sorted { $0.key < $1.key }.map { name, member in
            SourceReader(reading: reading).source(member, path + [name]).map { NamedSource(name: name, source: $0) }
        }
        return sources.contains { $0 == nil } ? nil : sources.compactMap { $0 }
    }

    /// `{ each = program, through = […] }`.
    private func each(_ node: TOMLNode, _ path: [String]) -> ArgumentValue? {
        guard var table = TableReader(node, path: path, faults: reading.faults) else { return nil }
        defer { table.finish() }
        let through = table.node("through").map { StepReader(reading: reading).steps($0, path + ["through"]) } ?? []
        guard let each = table.node("each") else {
            table.fault("needs \"each\", a jq program whose results are the elements of the inner stream")
            return nil
        }
        guard let program = program(each, .many, path + ["each"]), let through else { return nil }
        return .each(program, through: through)
    }
}
