internal import RxAction
internal import RxJSON

/// The events of a brief execution, which are made only where somebody reads them.
struct BriefEvents: Sendable {
    /// Those that are no levels: two records, and an element or an error.
    static let kept = 3

    let execution: BriefExecution
    /// Nil if it failed.
    let element: RawJSON?
    /// The cursor before the first.
    let base: UInt64
    /// Whether the action was not enabled meanwhile, which is two more.
    let disables: Bool

    /// How many cursors they take.
    var count: UInt64 { disables ? 7 : 5 }
    var lastCursor: UInt64 { base + count }
    /// Of the element or the error.
    var outcomeCursor: UInt64 { base + (disables ? 4 : 3) }
    /// Of the record of its end.
    var endCursor: UInt64 { outcomeCursor + 1 }

    /// Bytes of memory, about.
    var cost: Int { (execution.input?.utf8.count ?? 0) + (element?.utf8.count ?? 0) + 2 * EventRing.costPerEvent }

    var all: [HostEvent] {
        let end = execution.record
        var start = end
        start.state = .executing
        start.endedAt = nil
        start.elements = 0
        start.error = nil
        var events: [HostEvent] = []
        events.reserveCapacity(Int(count))
        func add(_ change: HostEvent.Change, ordinal: Int = 0, ofExecution: Bool = true) {
            events.append(
                HostEvent(
                    cursor: base + UInt64(events.count) + 1, time: execution.time, action: execution.action,
                    execution: ofExecution ? execution.id : nil, ordinal: ordinal, change: change))
        }
        add(.execution(start), ordinal: 1)
        add(.executing(true), ofExecution: false)
        if disables {
            let reason = DisabledReason.executing(execution.id, since: execution.time, by: execution.by)
            add(.enabled(Enabled(reason: reason)), ofExecution: false)
        }
        if let element {
            add(.element(element), ordinal: 1)
        } else if let failure = execution.failure {
            add(.failure(failure.error), ordinal: 1)
        }
        add(.execution(end), ordinal: 2)
        add(.executing(false), ofExecution: false)
        if disables { add(.enabled(Enabled(reason: nil)), ofExecution: false) }
        return events
    }
}
