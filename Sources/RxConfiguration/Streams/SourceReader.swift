internal import RxStreams

/// Reads sources by the rows of `SourceTable`.
struct SourceReader {
    let reading: StreamReading

    /// A source within a source or an operator: the name of a stream, or a table. Nil, with faults added, if invalid.
    func source(_ node: TOMLNode, _ path: [String]) -> SourceDefinition? {
        switch node.content {
        case .string:
            return ArgumentReader(reading: reading).name(node, .stream, path).map { .stream($0, channel: .elements) }
        case .table:
            guard var table = TableReader(node, path: path, faults: reading.faults) else { return nil }
            defer {
                table.finish { key, _ in
                    Self.keysOfStreams.contains(key) || OperatorTable.named(key) != nil
                        ? "give the source a name as [stream.NAME], and use that name here" : Self.hint(key)
                }
            }
            return source(in: &table, ofAction: false)
        case .integer, .float, .boolean, .array, .time:
            reading.faults.add("must be \(Parameter.Kind.source), not \(node.kind)", at: node.place, key: path)
            return nil
        }
    }

    /// The source in a table that may have other keys as well; `ofAction` if the table is an `on` of an action.
    func source(in table: inout TableReader, ofAction: Bool) -> SourceDefinition? {
        let given = SourceTable.all.filter { table.isGiven($0.name) }
        table.know(SourceTable.all.map(\.name))
        guard let row = given.first else {
            // A misspelled source is reported as an unknown key.
            if !table.unknownKeys.contains(where: { nearest(to: $0, among: SourceTable.all.map(\.name)) != nil }) {
                let names = SourceTable.all.map(\.name).joined(separator: ", ")
                table.fault("needs a source, one of \(names)")
            }
            return nil
        }
        for other in given.dropFirst() {
            guard let node = table.node(other.name) else { continue }
            table.fault("cannot be combined with \"\(row.name)\": a stream has one source", at: node, key: other.name)
        }
        if row.isOfAction, !ofAction, let node = table.node(row.name) {
            table.fault("can only be in the `on` of an action, whose executions it follows", at: node, key: row.name)
            return nil
        }
        guard let arguments = ArgumentReader(reading: reading).read(row.main, row.parameters, from: &table),
            let source = row.definition(arguments)
        else { return nil }
        if case .external(let external) = source { check(external, row, table) }
        return given.count == 1 ? source : nil
    }

    /// For a key that belongs to other sources, or is an operator.
    static func hint(_ key: String) -> String? {
        if OperatorTable.named(key) != nil {
            return "\(key) is an operator: write through = [{ \(key) = … }]"
        }
        let rows = SourceTable.all.filter { $0.parameters.contains { $0.name == key } }
        guard !rows.isEmpty else { return nil }
        return "it belongs to \(rows.map { "\"\($0.name)\"" }.joined(separator: ", "))"
    }

    private static let keysOfStreams: Set = ["through", "persist", "name", "description", "enabled", "allow", "input"]

    private func check(_ source: ExternalSource, _ row: SourceDescription, _ table: TableReader) {
        for case .time(let expression) in row.main.kinds {
            TimeReader(reading: reading).check(expression, source, table)
        }
        for problem in reading.surroundings.problems(source) {
            let (place, path) = table.place(of: problem.path)
            let key = table.path + path
            if problem.isFault {
                reading.faults.add(problem.message, at: place, key: key)
            } else {
                reading.faults.warn(problem.message, at: place, key: key)
            }
        }
    }
}
