internal import Rx

extension StreamOperator {
    static let skipUntil = StreamOperator(
        "skipUntil", .limiting, .source, summary: "Drops elements until another source emits.", isBrake: true,
        isComposed: true
    ) { step, source in
        guard let other = step.definition.source("skipUntil") else { return source }
        let isOpen = step.cell("open", false)
        let opening = step.open(other).do(onNext: { _ in isOpen.value = true })
        return Observable.deferred { isOpen.value ? source : source.skip(until: opening) }
    }
}
