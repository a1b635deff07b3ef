internal import Rx
internal import RxTime

extension StreamOperator {
    static let held = StreamOperator(
        "held", .time, .duration(atLeast: 0),
        summary: "Emits the newest value of a level once a condition has held for this long without interruption.",
        parameters: [
            Parameter("while", .program(.condition), standard: "`.`", "the condition, over the value")
        ], needsLevel: true
    ) { step, source in
        let span = step.definition.duration("held") ?? 0
        let condition = step.definition.program("while") ?? StreamProgram(".", .condition)
        // When the condition began to hold; nil while it does not.
        let since = step.cell("since", Instant?.none)
        return step.sequence(source) { [unowned step] output in
            let pending = step.pending("newest") { [unowned output] in output.emit($0) }
            return StepActions { element, _ in
                guard let holds = step.holds(condition, element) else { return }
                guard holds else {
                    if since.value != nil { since.value = nil }
                    return pending.removeAll()
                }
                let isFirst = since.value == nil
                let start = since.value ?? step.clock.instant
                if isFirst { since.value = start }
                // Nothing waits after the element of this period was emitted.
                if isFirst || !pending.isEmpty {
                    pending.replace(with: element, due: start.adding(microseconds: span))
                }
            } dispose: {
                pending.close()
            }
        }
    }
}
