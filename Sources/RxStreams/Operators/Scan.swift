internal import Rx
internal import RxJSON

extension StreamOperator {
    static let scan = StreamOperator(
        "scan", .perElement, .program(.one),
        summary: "Emits the result of a program over `{state, element}`, which is the state for the next element.",
        parameters: [Parameter("initial", .json, required: true, "the state for the first element")]
    ) { step, source in
        guard let program = step.definition.program("scan") else { return source }
        let state = step.cell("state", step.definition.json("initial") ?? .null)
        return step.transform(source) { element, output in
            let input = stateAndElement(state.value, element.value)
            guard let next = step.value(program, of: input, in: element) else { return }
            state.value = next
            output.emit(element.with(next))
        }
    }
}

/// What the programs of `scan` and `window` get.
func stateAndElement(_ state: RawJSON, _ element: RawJSON) -> RawJSON {
    var writer = JSONWriter(reserving: state.utf8.count + element.utf8.count + 24)
    writer.object {
        $0.field("state", state)
        $0.field("element", element)
    }
    return RawJSON(unchecked: writer.bytes)
}
