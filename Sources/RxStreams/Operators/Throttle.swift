internal import Rx
internal import RxTime

extension StreamOperator {
    static let throttle = StreamOperator(
        "throttle", .time, .duration(atLeast: 0),
        summary: "Emits an element, then none for this long.",
        parameters: [
            Parameter(
                "latest", .boolean, standard: "true", "whether the newest element that came meanwhile follows then")
        ]
    ) { step, source in
        let pause = step.definition.duration("throttle") ?? 0
        let latest = step.definition.boolean("latest") ?? true
        let open = step.cell("open", Instant?.none)
        return step.sequence(source) { [unowned step] output in
            var isEnding = false
            let pending = step.pending("latest") { [unowned output] element in
                open.value = step.clock.instant.adding(microseconds: pause)
                output.emit(element)
                if isEnding { output.finish() }
            }
            return StepActions { element, output in
                let now = step.clock.instant
                if let due = open.value, now < due {
                    if latest { pending.replace(with: element, due: due) }
                } else {
                    open.value = now.adding(microseconds: pause)
                    output.emit(element)
                }
            } completed: { [unowned output] in
                isEnding = true
                if pending.isEmpty { output.finish() }
            } dispose: {
                pending.close()
            }
        }
    }
}
