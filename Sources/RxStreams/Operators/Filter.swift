internal import Rx

extension StreamOperator {
    static let filter = StreamOperator(
        "filter", .perElement, .program(.condition),
        summary: "Emits the elements for which any result of a program is true.", keepsLevel: true, isBrake: true
    ) { step, source in
        guard let program = step.definition.program("filter") else { return source }
        return step.transform(source) { element, output in
            if step.holds(program, element) ?? false { output.emit(element) }
        }
    }
}
