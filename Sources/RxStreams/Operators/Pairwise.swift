internal import Rx
internal import RxJSON

extension StreamOperator {
    static let pairwise = StreamOperator(
        "pairwise", .perElement, .flag, summary: "Emits each element with the one before it: `[previous, element]`."
    ) { step, source in
        let last = step.cell("last", RawJSON?.none)
        return step.transform(source) { element, output in
            let previous = last.value
            last.value = element.value
            guard let previous else { return }
            var writer = JSONWriter(reserving: previous.utf8.count + element.value.utf8.count + 8)
            writer.array {
                $0.raw(previous)
                $0.raw(element.value)
            }
            output.emit(element.with(RawJSON(unchecked: writer.bytes)))
        }
    }
}

/// An array of values.
func array(_ values: some Sequence<RawJSON>) -> RawJSON {
    var writer = JSONWriter()
    writer.array { writer in for value in values { writer.raw(value) } }
    return RawJSON(unchecked: writer.bytes)
}
