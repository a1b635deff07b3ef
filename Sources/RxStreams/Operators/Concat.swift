internal import Rx

extension StreamOperator {
    static let concat = StreamOperator(
        "concat", .sources, .source, summary: "Emits the elements of another source once the stream would end.",
        isComposed: true
    ) { step, source in
        guard let other = step.definition.source("concat") else { return source }
        return source.concat(step.open(other))
    }
}
