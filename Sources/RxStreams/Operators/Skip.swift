internal import Rx

extension StreamOperator {
    static let skip = StreamOperator(
        "skip", .limiting, .count(0...Int.max), summary: "Drops the first elements.", isBrake: true
    ) { step, source in
        let most = step.definition.count("skip") ?? 0
        let skipped = step.cell("skipped", 0)
        return step.transform(source) { element, output in
            if skipped.value < most { skipped.value += 1 } else { output.emit(element) }
        }
    }
}
