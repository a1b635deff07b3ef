internal import Rx
internal import RxJSON
internal import RxPlatform

/// Sends the numbers 0, 1, 2 … one per interval, and completes after `count` of them.
///
/// Input: `{"count": n, "interval": "100ms"}`; without a count it goes on until it is canceled, without an interval
/// it sends a tick a second. The interval must be at least a millisecond.
func ticksDefinition(name: String) -> ActionDefinition {
    // One for all executions: a queue of its own would cost each of them a thread. Making it only allocates.
    let scheduler = Locked<QueueScheduler?>(nil)
    return ActionDefinition(
        name: name, kind: "builtin", fingerprint: "ticks",
        validate: { input in
            switch TicksInput.reading(input.value()) {
            case .success: []
            case .failure(let fault): [fault]
            }
        },
        work: { invocation in
            guard case .success(let input) = TicksInput.reading(invocation.input.value()) else { return .empty() }
            return .create { observer in
                if input.count == 0 {
                    observer.onCompleted()
                    return Disposables.create()
                }
                let scheduler = scheduler.withLock { made in
                    let scheduler = made ?? QueueScheduler(invocation.platform, label: "rxd.ticks")
                    made = scheduler
                    return scheduler
                }
                let period = input.interval.dispatchInterval
                return scheduler.schedulePeriodic(0, startAfter: period, period: period) { tick in
                    observer.onNext(RawJSON(unchecked: Array(String(tick).utf8)))
                    if tick + 1 == input.count { observer.onCompleted() }
                    return tick + 1
                }
            }
        })
}

private struct TicksInput {
    var count: Int?
    var interval = Duration.seconds(1)

    static func reading(_ value: JSONValue) -> Result<TicksInput, InputFault> {
        var input = TicksInput()
        if value == .null { return .success(input) }
        guard case .object = value else {
            return .failure(InputFault(path: "", message: "must be an object"))
        }
        if let count = value["count"] {
            guard let number = count.int, number >= 0 else {
                return .failure(InputFault(path: "/count", message: "must be a whole number, 0 or more"))
            }
            input.count = number
        }
        if let text = value["interval"] {
            guard let interval = text.string.flatMap({ Duration(rxText: $0) }), interval >= .milliseconds(1) else {
                return .failure(
                    InputFault(path: "/interval", message: "must be a duration of 1ms or more, such as \"100ms\""))
            }
            input.interval = interval
        }
        return .success(input)
    }
}
