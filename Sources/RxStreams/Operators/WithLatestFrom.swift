internal import Rx
internal import RxJSON

extension StreamOperator {
    static let withLatestFrom = StreamOperator(
        "withLatestFrom", .sources, .source,
        summary: "Emits `{element, latest}`, with the newest element of another source; nothing before it has one."
    ) { step, source in
        guard let other = step.definition.source("withLatestFrom") else { return source }
        let latest = step.cell("latest", RawJSON?.none)
        let others = step.open(other)
        return step.sequence(source) { _ in
            let subscription = others.subscribe(onNext: { latest.value = $0.value })
            return StepActions { element, output in
                guard let latest = latest.value else { return }
                var writer = JSONWriter(reserving: element.value.utf8.count + latest.utf8.count + 32)
                writer.object {
                    $0.field("element", element.value)
                    $0.field("latest", latest)
                }
                output.emit(element.with(RawJSON(unchecked: writer.bytes)))
            } dispose: {
                subscription.dispose()
            }
        }
    }
}
