internal import RxRecords
internal import RxAction
internal import RxJSON

// The events of a brief execution, which are made only where a reader wants them.
extension BriefExecution {
    /// The number of events that are not levels: two records, and an element or an error.
    static let kept = 3

    /// The number of events, and so of cursors: two levels less if the action was enabled all the time.
    var count: UInt64 { disables ? 7 : 5 }
    var lastCursor: UInt64 { base + count }
    /// The cursor of the element or the error.
    var outcomeCursor: UInt64 { base + (disables ? 4 : 3) }
    /// The cursor of the final record.
    var endCursor: UInt64 { outcomeCursor + 1 }

    var all: [HostEvent] {
        var events: [HostEvent] = []
        events.reserveCapacity(Int(count))
        append(.all, to: &events)
        return events
    }

    /// Appends the events of `kinds`; the others keep their cursors.
    func append(_ kinds: EventKinds, to events: inout [HostEvent]) {
        var cursor = base
        func add(
            _ kind: EventKinds, ordinal: Int = 0, ofExecution: Bool = true, _ change: () -> HostEvent.Change
        ) {
            cursor += 1
            guard kinds.contains(kind) else { return }
            events.append(
                HostEvent(
                    cursor: cursor, time: time, source: action,
                    execution: ofExecution ? id : nil, ordinal: ordinal, change: change()))
        }
        add(.executions, ordinal: 1) {
            var start = record
            start.state = .executing
            start.endedAt = nil
            start.elements = 0
            start.error = nil
            return .execution(start)
        }
        add(.executing, ofExecution: false) { .executing(true) }
        if disables {
            add(.enabled, ofExecution: false) {
                .enabled(Enabled(reason: .executing(id, since: time, by: causes.by)))
            }
        }
        if let element {
            add(.elements, ordinal: 1) { .element(element) }
        } else if let error {
            add(.errors, ordinal: 1) { .failure(error, of: record) }
        }
        add(.executions, ordinal: 2) { .execution(record) }
        add(.executing, ofExecution: false) { .executing(false) }
        if disables { add(.enabled, ofExecution: false) { .enabled(Enabled(reason: nil)) } }
    }
}
