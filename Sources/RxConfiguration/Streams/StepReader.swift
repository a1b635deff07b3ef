internal import RxStreams

/// Reads the steps of `through` by the rows of `OperatorTable`.
struct StepReader {
    let reading: StreamReading

    /// Nil, with faults added, if a step is invalid.
    func steps(_ node: TOMLNode, _ path: [String]) -> [StepDefinition]? {
        guard case .array(let elements) = node.content else {
            reading.faults.add("must be \(Parameter.Kind.steps), not \(node.kind)", at: node.place, key: path)
            return nil
        }
        var steps: [StepDefinition] = []
        var last: StreamOperator?
        for (index, element) in elements.enumerated() {
            let path = path + ["[\(index)]"]
            guard let (row, step) = step(element, path) else {
                last = nil
                continue
            }
            if row.isModifier, index == steps.count {
                refuseMisplaced(row, after: last, steps, element.place, path)
            }
            steps.append(step)
            last = row
        }
        return steps.count == elements.count ? steps : nil
    }

    private func step(_ node: TOMLNode, _ path: [String]) -> (StreamOperator, StepDefinition)? {
        guard var table = TableReader(node, path: path, faults: reading.faults) else { return nil }
        reading.notes.add(node.place, key: path)
        guard let row = operatorRow(&table) else { return nil }
        let arguments = ArgumentReader(reading: reading).read(row.main, row.parameters, from: &table)
        if row.name == "throttle", arguments?["throttle"] == .duration(0) {
            reading.faults.warn(
                "drops nothing with \"0s\"; remove the step, or write a duration", at: table.place(of: row.name),
                key: path + [row.name])
        }
        table.finish()
        guard let step = arguments.map({ StepDefinition(row.name, $0) }) else { return nil }
        if let (parameter, message) = row.check(step) {
            reading.faults.add(message, at: node.place, key: path + [parameter])
        }
        return (row, step)
    }

    /// The operator of a step. A key that is also a parameter of another operator in the table, such as `delay` beside
    /// `retry`, is that parameter.
    private func operatorRow(_ table: inout TableReader) -> StreamOperator? {
        let given = OperatorTable.all.filter { table.isGiven($0.name) }
        let rows = given.filter { row in
            !given.contains { $0.name != row.name && $0.parameters.contains { $0.name == row.name } }
        }
        if rows.count == 1 { return rows[0] }
        guard rows.isEmpty else {
            let names = rows.map { "\"\($0.name)\"" }.joined(separator: " and ")
            table.fault("has the operators \(names); a step is one operator, so write a table for each")
            return nil
        }
        let parameters = Set(OperatorTable.all.flatMap { $0.parameters.map(\.name) })
        let names = OperatorTable.all.map(\.name)
        let unknown = table.unknownKeys.filter { !parameters.contains($0) }.sorted()
        for key in unknown {
            let meant = nearest(to: key, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
            table.refuse(key, "there is no operator \"\(key)\"\(meant)")
        }
        if unknown.isEmpty { table.fault("needs an operator, such as \"map\" or \"filter\"") }
        return nil
    }

    private func refuseMisplaced(
        _ row: StreamOperator, after last: StreamOperator?, _ steps: [StepDefinition], _ place: SourcePlace,
        _ path: [String]
    ) {
        let follows = last.map { $0.isExecuting || $0.isModifier } ?? false
        let modifiers = steps.reversed().prefix { OperatorTable.named($0.name)?.isModifier ?? false }
        let executing = OperatorTable.all.filter(\.isExecuting).map(\.name).joined(separator: ", ")
        if !follows {
            reading.faults.add(
                "must follow directly after a step that executes: \(executing)", at: place, key: path + [row.name])
        } else if modifiers.contains(where: { $0.name == row.name }) {
            reading.faults.add("is there twice; an executing step takes one of them", at: place, key: path + [row.name])
        }
    }
}
