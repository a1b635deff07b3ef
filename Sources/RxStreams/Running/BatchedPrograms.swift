internal import RxJSON

/// Evaluates the programs of the first steps for many elements at once.
///
/// A request to a worker costs as much as dozens of elements. As long as steps depend on nothing but the element, what
/// they make of it is known before any of the elements is processed. The steps then find the results that are known.
struct BatchedPrograms: Sendable {
    private let steps: [StreamProgram]

    init(_ definition: StreamDefinition) {
        var programs: [StreamProgram] = []
        if case .external = definition.source {
            for step in definition.steps {
                guard ["map", "filter", "compactMap"].contains(step.name), let program = step.program(step.name) else {
                    break
                }
                programs.append(program)
            }
        }
        steps = programs
    }

    /// - Returns: how many of the elements are to be processed: fewer than there are if their programs take long.
    func evaluate(_ elements: [StreamElement], in context: StreamContext) -> Int {
        guard elements.count > 1, !steps.isEmpty else { return elements.count }
        var count = elements.count
        var inputs = elements
        for (index, program) in steps.enumerated() {
            guard !inputs.isEmpty else { break }
            let results = context.evaluator.evaluate(
                program,
                on: inputs.map { ProgramInput(value: $0.value, time: $0.time, key: $0.key, from: $0.from) })
            context.known["\(index + 1)"] = KnownResults(results: results)
            if index == 0 { count = results.count }
            // The step evaluates its program itself for the rest.
            guard results.count == inputs.count || index == 0 else { break }
            inputs = zip(inputs, results).flatMap { Self.outputs($0, $1, program.use) }
        }
        return count
    }

    /// What the step will emit for an element.
    private static func outputs(
        _ element: StreamElement, _ result: ProgramResult, _ use: StreamProgram.Use
    ) -> [StreamElement] {
        guard case .values(let values) = result else { return [] }
        switch use {
        case .many: return values.map { element.with($0) }
        case .condition: return values.first == .true ? [element] : []
        case .one: return values.filter { $0 != .null }.map { element.with($0) }
        }
    }

    /// Forgets results that no step has asked for.
    func forget(in context: StreamContext) { context.known = [:] }
}
