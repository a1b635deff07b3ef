internal import Rx

extension StreamOperator {
    static let takeWhile = StreamOperator(
        "takeWhile", .limiting, .program(.condition),
        summary: "Emits elements while any result of a program is true, then ends the stream."
    ) { step, source in
        guard let program = step.definition.program("takeWhile") else { return source }
        let hasEnded = step.cell("ended", false)
        return step.sequence(source) { output in
            if hasEnded.value { output.finish() }
            return StepActions { element, output in
                guard let holds = step.holds(program, element) else { return }
                if holds { return output.emit(element) }
                hasEnded.value = true
                output.finish()
            }
        }
    }
}
