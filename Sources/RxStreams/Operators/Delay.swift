internal import Rx
internal import RxTime

extension StreamOperator {
    static let delay = StreamOperator(
        "delay", .time, .duration(atLeast: 0), summary: "Emits each element this much later."
    ) { step, source in
        let delay = step.definition.duration("delay") ?? 0
        // When the end of the source is due here; it survives a restart as the elements do.
        let endDue = step.cell("end", Instant?.none)
        return step.sequence(source) { [unowned step] output in
            var end: ClockEntry?
            let pending = step.pending("elements") { [unowned output] in output.emit($0) }
            return StepActions { element, _ in
                if endDue.value != nil { endDue.value = nil }
                if pending.isFull {
                    step.lose(1)
                    // The step may hold the elements of other groups.
                    if pending.takeFirst() == nil { return }
                }
                pending.append(element, due: step.clock.instant.adding(microseconds: delay))
            } completed: { [unowned output] in
                // Like the elements, the end comes later. Of what is due then, it is the last.
                let due = endDue.value ?? step.clock.instant.adding(microseconds: delay)
                if endDue.value == nil { endDue.value = due }
                end = step.clock.schedule(at: due, .last) { output.finish() }
            } dispose: {
                pending.close()
                end?.cancel()
            }
        }
    }
}
