internal import Rx

extension StreamOperator {
    static let map = StreamOperator(
        "map", .perElement, .program(.many),
        summary: "Emits each result of a program in place of the element.", keepsLevel: true
    ) { step, source in
        guard let program = step.definition.program("map") else { return source }
        return step.transform(source) { element, output in
            for value in step.values(program, of: element.value, in: element) ?? [] {
                output.emit(element.with(value))
            }
        }
    }
}
