internal import Rx

extension StreamOperator {
    static let merge = StreamOperator(
        "merge", .sources, .sources, summary: "Emits the elements of other sources too.",
        isComposed: true
    ) { step, source in
        guard case .sources(let others)? = step.definition.main else { return source }
        let opened = others.enumerated().map { step.open($1, "source\($0 + 1)") }
        return Observable.merge([source] + opened)
    }
}
