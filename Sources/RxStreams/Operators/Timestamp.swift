internal import Rx
internal import RxJSON
internal import RxTime

extension StreamOperator {
    static let timestamp = StreamOperator(
        "timestamp", .perElement, .flag, summary: "Emits `{time, element}`, with the time of the element in UTC."
    ) { step, source in
        step.transform(source) { element, output in
            var writer = JSONWriter(reserving: element.value.utf8.count + 64)
            writer.object {
                $0.field("time", TimeText.utc(element.time))
                $0.field("element", element.value)
            }
            output.emit(element.with(RawJSON(unchecked: writer.bytes)))
        }
    }
}
