internal import Rx
internal import RxJSON

extension StreamOperator {
    static let startWith = StreamOperator(
        "startWith", .perElement, .json,
        summary:
            "Emits a value before the first element; with `persist`, only when the stream starts for the first time.",
        isComposed: true
    ) { step, source in
        let hasBegun = step.cell("begun", false)
        let value = step.definition.json("startWith") ?? .null
        return Observable.deferred {
            if hasBegun.value { return source }
            hasBegun.value = true
            let element = StreamElement(value: value, time: step.clock.instant, key: step.surroundings.key)
            return source.startWith(element)
        }
    }
}
