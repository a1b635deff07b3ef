internal import Rx

extension StreamOperator {
    static let sample = StreamOperator(
        "sample", .time, .source,
        summary: "Emits the newest element when another source emits, unless there is none since the last time.",
        isComposed: true
    ) { step, source in
        guard let other = step.definition.source("sample") else { return source }
        let newest = step.cell("newest", StreamElement?.none)
        let sampler = step.open(other)
        return Observable.deferred {
            let elements = source.do(onNext: { newest.value = $0 })
            let all = newest.value.map { elements.startWith($0) } ?? elements
            return all.sample(sampler).do(onNext: { _ in newest.value = nil })
        }
    }
}
