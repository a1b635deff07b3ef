internal import Rx

extension StreamOperator {
    static let takeUntil = StreamOperator(
        "takeUntil", .limiting, .source, summary: "Emits elements until another source emits, then ends the stream.",
        isComposed: true
    ) { step, source in
        guard let other = step.definition.source("takeUntil") else { return source }
        let hasEnded = step.cell("ended", false)
        let end = step.open(other).do(onNext: { _ in hasEnded.value = true })
        return Observable.deferred { hasEnded.value ? .empty() : source.take(until: end) }
    }
}
