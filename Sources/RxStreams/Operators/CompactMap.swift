internal import Rx
internal import RxJSON

extension StreamOperator {
    static let compactMap = StreamOperator(
        "compactMap", .perElement, .program(.one),
        summary: "Emits the result of a program in place of the element, unless it is null.", isBrake: true
    ) { step, source in
        guard let program = step.definition.program("compactMap") else { return source }
        return step.transform(source) { element, output in
            guard let value = step.value(program, of: element.value, in: element), value != .null else { return }
            output.emit(element.with(value))
        }
    }
}
