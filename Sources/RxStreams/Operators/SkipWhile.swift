internal import Rx

extension StreamOperator {
    static let skipWhile = StreamOperator(
        "skipWhile", .limiting, .program(.condition),
        summary: "Drops elements while any result of a program is true.", isBrake: true
    ) { step, source in
        guard let program = step.definition.program("skipWhile") else { return source }
        let isOpen = step.cell("open", false)
        return step.transform(source) { element, output in
            if !isOpen.value {
                guard let holds = step.holds(program, element), !holds else { return }
                isOpen.value = true
            }
            output.emit(element)
        }
    }
}
