internal import Rx

extension StreamOperator {
    static let take = StreamOperator(
        "take", .limiting, .count(0...Int.max), summary: "Emits the first elements, then ends the stream."
    ) { step, source in
        let most = step.definition.count("take") ?? 0
        let taken = step.cell("taken", 0)
        return step.sequence(source) { output in
            if taken.value >= most { output.finish() }
            return StepActions { element, output in
                taken.value += 1
                output.emit(element)
                if taken.value >= most { output.finish() }
            }
        }
    }
}
