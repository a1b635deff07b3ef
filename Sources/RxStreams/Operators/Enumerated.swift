internal import Rx
internal import RxJSON

extension StreamOperator {
    static let enumerated = StreamOperator(
        "enumerated", .perElement, .flag, summary: "Emits `{index, element}`, with the index from 0."
    ) { step, source in
        let index = step.cell("index", 0)
        return step.transform(source) { element, output in
            var writer = JSONWriter(reserving: element.value.utf8.count + 40)
            writer.object {
                $0.field("index", index.value)
                $0.field("element", element.value)
            }
            index.value += 1
            output.emit(element.with(RawJSON(unchecked: writer.bytes)))
        }
    }
}
