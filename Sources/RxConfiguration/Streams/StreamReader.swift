internal import RxHost
internal import RxStreams

/// Reads `[stream.NAME]` and the sources in `on`.
struct StreamReader {
    let reading: StreamReading
    /// The value of `[access]`.
    let access: Access
    let accessReader: AccessReader

    /// Nil, with faults added, for an invalid stream.
    func read(stream name: String, _ node: TOMLNode) -> ReadStream? {
        let path = ["stream", name]
        guard var table = TableReader(node, path: path, faults: reading.faults) else { return nil }
        if !ConfiguredName.isValid(name) { table.fault("a name \(ConfiguredName.rule)") }
        table.refuse("input", "is a key of `on`, which gives the elements to an action or a reactor")
        table.refuse("when-full", "is a key of `on`, which gives the elements to an action or a reactor")
        let stream = stream(name, &table, owner: nil)
        finish(&table)
        return stream
    }

    /// The streams and the bindings of an `on`; those with faults, which are added, are left out.
    func read(
        on node: TOMLNode, of target: BindingDefinition.Target
    ) -> (streams: [ReadStream], bindings: [ReadBinding]) {
        let path = [target.section, target.name, "on"]
        var streams: [ReadStream] = []
        var bindings: [ReadBinding] = []
        func bind(_ node: TOMLNode, _ path: [String]) {
            switch node.content {
            case .string:
                guard let name = ArgumentReader(reading: reading).name(node, .stream, path) else { return }
                let binding = BindingDefinition(target: target, stream: name)
                bindings.append(ReadBinding(definition: binding, path: path, place: node.place))
            case .table:
                let all = InlineSource.all(in: node, path: path)
                for inline in all { bind(inline) }
            case .integer, .float, .boolean, .array, .time:
                reading.faults.add(
                    "must be the name of a stream, a table with a source, or an array of these, not \(node.kind)",
                    at: node.place, key: path)
            }
        }
        func bind(_ inline: InlineSource) {
            guard let (stream, binding) = read(inline, of: target) else { return }
            streams.append(stream)
            bindings.append(binding)
        }
        if case .array(let elements) = node.content {
            let inline = InlineSource.all(in: node, path: path)
            for (index, element) in elements.enumerated() {
                if let source = inline.first(where: { $0.number == index + 1 }) {
                    bind(source)
                } else {
                    bind(element, path + ["[\(index)]"])
                }
            }
            refuseRepeated(bindings)
        } else {
            bind(node, path)
        }
        return (streams, bindings)
    }

    // MARK: Parts

    private func read(_ inline: InlineSource, of target: BindingDefinition.Target) -> (ReadStream, ReadBinding)? {
        guard var table = TableReader(inline.node, path: inline.path, faults: reading.faults) else { return nil }
        let name = inline.name(of: target.name)
        if table.string("name") != nil, !ConfiguredName.isValid(name) {
            table.fault(
                ConfiguredName.rule, at: TOMLNode(place: inline.namePlace, content: .string(name)), key: "name")
        }
        let stream = stream(name, &table, owner: target)
        let input = table.node("input").flatMap {
            ArgumentReader(reading: reading).program($0, .one, table.path + ["input"])
        }
        let whenFull = table.choice("when-full", BindingDefinition.WhenFull.self)
        finish(&table)
        guard var stream else { return nil }
        stream.stream.lines = reading.notes.end()
        if inline.isInArray, !inline.isNamed, stream.definition.keepsPosition {
            table.fault("needs \"name\": it keeps a position, and its place in the array may change")
        }
        let binding = BindingDefinition(target: target, stream: name, input: input, whenFull: whenFull ?? .wait)
        return (stream, ReadBinding(definition: binding, path: inline.path, place: inline.node.place))
    }

    private func stream(
        _ name: String, _ table: inout TableReader, owner: BindingDefinition.Target?
    ) -> ReadStream? {
        reading.notes.begin(table.path, at: table.place)
        let summary = table.string("description").flatMap { $0.isEmpty ? nil : $0 }
        let ofAction = if case .action? = owner { true } else { false }
        let source = SourceReader(reading: reading).source(in: &table, ofAction: ofAction)
        let steps =
            table.node("through").map { StepReader(reading: reading).steps($0, table.path + ["through"]) } ?? []
        let isPersistent = table.boolean("persist")?.value ?? false
        let condition = table.node("enabled").flatMap {
            ConditionReader(reading: reading).stream($0, table.path + ["enabled"])
        }
        let granted = table.node("allow").flatMap { allow($0, table.path + ["allow"]) }
        guard let source, let steps else { return nil }
        let definition = StreamDefinition(
            name: name, summary: summary, source: source, steps: steps, isPersistent: isPersistent)
        let nobody = Access(execute: .nobody, subscribe: .nobody, manage: access.manage)
        var stream = ConfiguredStream(
            definition: definition, owner: owner,
            access: StreamAccess(
                parts: definition.parts, needsManage: definition.needsManage, granted: granted ?? nobody),
            condition: condition)
        stream.lines = reading.notes.end()
        return ReadStream(stream: stream, path: table.path, place: table.place)
    }

    private func finish(_ table: inout TableReader) {
        table.finish { key, _ in SourceReader.hint(key) }
    }

    private func allow(_ node: TOMLNode, _ path: [String]) -> Access? {
        let nobody = Access(execute: .nobody, subscribe: .nobody, manage: access.manage)
        guard let granted = accessReader.read(allow: node, path: path, defaults: nobody) else { return nil }
        reading.faults.warn(
            "grants access to the stream beyond that of the actions, reactors, and streams that it is made of",
            at: node.place, key: path)
        return granted
    }

    private func refuseRepeated(_ bindings: [ReadBinding]) {
        var seen: Set<String> = []
        for binding in bindings where !seen.insert(binding.definition.stream).inserted {
            reading.faults.add(
                "\"\(binding.definition.stream)\" is listed twice; remove one",
                at: binding.place, key: binding.path)
        }
    }
}

extension StreamDefinition {
    /// Whether its sources keep a position across restarts: slots always, the others if the stream is persistent.
    var keepsPosition: Bool {
        allSources.contains { source in
            guard case .external(let source) = source, let row = SourceTable.named(source.kind) else { return false }
            return row.hasPosition && (row.isSlot || isPersistent)
        }
    }

    /// Whether a source shows more than actions, reactors, and streams.
    var needsManage: Bool {
        allSources.contains { source in
            guard case .external(let source) = source else { return false }
            return SourceTable.named(source.kind)?.needsManage ?? false
        }
    }

    /// The names of the actions, reactors, and streams that it reads or executes; `*` for all actions.
    var parts: Set<String> { readNames.union(executes) }

    /// The names of the actions, reactors, and streams that it reads; `*` for all actions.
    var readNames: Set<String> {
        var names = reads
        for case .external(let source) in allSources {
            guard let row = SourceTable.named(source.kind) else { continue }
            if row.main.kinds.contains(.actions) { names.formUnion(source.texts(source.kind) ?? []) }
            if row.main.kinds.contains(.reactor), let name = source.text(source.kind) { names.insert(name) }
        }
        return names
    }
}
