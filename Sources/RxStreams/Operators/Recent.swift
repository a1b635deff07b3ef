internal import Rx
internal import RxJSON
internal import RxTime

extension StreamOperator {
    static let recent = StreamOperator(
        "recent", .batches, .duration(atLeast: 1_000),
        summary: "Emits, at each element, an array of the elements of this long, the new one last.",
        parameters: [
            Parameter(
                "count", .count(1...StreamLimits.pendingElements), standard: "\(StreamLimits.pendingElements)",
                "the most elements, of which the newest are kept"),
            Parameter(
                "at-least", .count(1...StreamLimits.pendingElements), standard: "1",
                "the fewest elements of an array that is emitted"),
        ],
        check: { step in
            guard let least = step.count("at-least"), let most = step.count("count"), least > most else { return nil }
            return ("at-least", "is greater than count, so nothing would ever be emitted")
        }
    ) { step, source in
        let span = step.definition.duration("recent") ?? 0
        let most = step.definition.count("count") ?? StreamLimits.pendingElements
        let least = step.definition.count("at-least") ?? 1
        let elements = step.queue("elements")
        return step.transform(source) { element, output in
            let now = step.clock.instant
            // The due time is when an element is not recent any more.
            while let first = elements.first, first.due <= now || elements.count >= most || elements.isFull {
                elements.takeFirst()
            }
            elements.append(element, due: now.adding(microseconds: span))
            if elements.count >= least { output.emit(element.with(array(elements.values))) }
        }
    }
}
