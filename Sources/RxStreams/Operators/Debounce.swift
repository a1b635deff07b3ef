internal import Rx
internal import RxTime

extension StreamOperator {
    static let debounce = StreamOperator(
        "debounce", .time, .duration(atLeast: 0),
        summary: "Emits the newest element once none has come for this long.",
        parameters: [
            Parameter("at-most", .duration(atLeast: 0), "the longest that the first element of a burst delays it")
        ]
    ) { step, source in
        let silence = step.definition.duration("debounce") ?? 0
        let most = step.definition.duration("at-most")
        let burst = step.cell("burst", Instant?.none)
        return step.sequence(source) { [unowned step] output in
            let pending = step.pending("newest") { [unowned output] in output.emit($0) }
            return StepActions { element, _ in
                let now = step.clock.instant
                var due = now.adding(microseconds: silence)
                if let most {
                    let first = pending.isEmpty ? now : burst.value ?? now
                    if first != burst.value { burst.value = first }
                    due = min(due, first.adding(microseconds: most))
                }
                pending.replace(with: element, due: due)
            } completed: { [unowned output] in
                if let element = pending.takeFirst() { output.emit(element) }
                output.finish()
            } dispose: {
                pending.close()
            }
        }
    }
}
