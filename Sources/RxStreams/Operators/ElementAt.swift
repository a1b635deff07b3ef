internal import Rx

extension StreamOperator {
    static let elementAt = StreamOperator(
        "elementAt", .limiting, .count(0...Int.max),
        summary: "Emits the element at this index, from 0, and ends the stream.", isBrake: true
    ) { step, source in
        let index = step.definition.count("elementAt") ?? 0
        let passed = step.cell("passed", 0)
        return step.sequence(source) { output in
            if passed.value > index { output.finish() }
            return StepActions { element, output in
                passed.value += 1
                guard passed.value > index else { return }
                output.emit(element)
                output.finish()
            }
        }
    }
}
