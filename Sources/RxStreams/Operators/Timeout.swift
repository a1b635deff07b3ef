internal import Rx
internal import RxJSON
internal import RxTime

extension StreamOperator {
    static let timeout = StreamOperator(
        "timeout", .time, .duration(atLeast: 1_000),
        summary:
            """
            Emits nothing but one `{silent, last}` after each silence of this length: how long, in seconds, and the \
            last element or null.
            """
    ) { step, source in
        let span = step.definition.duration("timeout") ?? 0
        let hasBegun = step.cell("begun", false)
        return step.sequence(source) { [unowned step] output in
            let pending = step.pending("last") { [unowned output] last in
                var element = last.with(silence(span, last.value))
                element.time = step.clock.instant
                output.emit(element)
            }
            func restart(_ element: StreamElement) {
                pending.replace(with: element, due: step.clock.instant.adding(microseconds: span))
            }
            // Silence counts from the start of the stream too; of one that continues, it counts on.
            if !hasBegun.value {
                hasBegun.value = true
                restart(StreamElement(value: .null, time: step.clock.instant, key: step.surroundings.key))
            }
            return StepActions(next: { element, _ in restart(element) }, dispose: { pending.close() })
        }
    }
}

private func silence(_ span: Int64, _ last: RawJSON) -> RawJSON {
    var writer = JSONWriter()
    writer.object {
        $0.field("silent", span % 1_000_000 == 0 ? JSONValue(Int(span / 1_000_000)) : JSONValue(Double(span) / 1e6))
        $0.field("last", last)
    }
    return RawJSON(unchecked: writer.bytes)
}
