internal import RxAction
internal import RxRecords

/// The executions of a source by their actions, so that the events of an action are read once for all of them. Used
/// with the log's lock held.
struct ExecutionGroups {
    struct Group {
        let ring: EventRing
        /// The places of the action's executions in the source.
        var places: [ExecutionID: Int]
    }

    let executions: [HostedExecution]
    private(set) var groups: [Group] = []
    /// The number of each place's group.
    private(set) var numbers: [Int] = []

    init(_ executions: [HostedExecution]) {
        self.executions = executions
        var known: [ObjectIdentifier: Int] = [:]
        numbers.reserveCapacity(executions.count)
        for (place, execution) in executions.enumerated() {
            let action = ObjectIdentifier(execution.action)
            let number = known[action] ?? groups.count
            if number == groups.count {
                known[action] = number
                groups.append(Group(ring: execution.action.ring, places: [:]))
            }
            groups[number].places[execution.id] = place
            numbers.append(number)
        }
    }

    /// How many events of each kind of each execution in memory are after `cursor`.
    func remaining(after cursor: UInt64) -> [KindCounts] {
        var counts = [KindCounts](repeating: KindCounts(), count: executions.count)
        for group in groups { group.addRemaining(after: cursor, to: &counts) }
        return counts
    }

    /// The cursor of the first event of each execution, if it is still in memory.
    var firsts: [UInt64?] {
        var firsts = executions.map(\.firstKept)
        for group in groups where group.places.values.contains(where: { !firsts[$0].isKnown }) {
            group.ring.forEach(after: 0, at: { group.places[$0] }) { event, place in
                if !firsts[place].isKnown, event.ordinal == 1, case .execution = event.change {
                    firsts[place] = (true, event.cursor)
                }
                return true
            }
        }
        return firsts.map { $0.number }
    }
}

extension ExecutionGroups.Group {
    /// Adds what `ExecutionGroups.remaining` counts.
    func addRemaining(after cursor: UInt64, to counts: inout [KindCounts]) {
        ring.forEach(after: cursor, at: { places[$0] }) { event, place in
            counts[place].update(event.kind) { $0 += 1 }
            return true
        }
    }

    /// The newest event up to `cursor` of each of `kinds` of each execution.
    func newest(_ kinds: EventKinds, upTo cursor: UInt64) -> [HostEvent] {
        var newest: [Int: [EventKinds: HostEvent]] = [:]
        ring.forEach(after: 0, at: { places[$0] }) { event, place in
            guard event.cursor <= cursor else { return false }
            if kinds.contains(event.kind) { newest[place, default: [:]][event.kind] = event }
            return true
        }
        return newest.values.flatMap { $0.values }
    }
}

extension HostedExecution {
    /// How many events of each kind were published, but for those that remain. With the log's lock held.
    func published(without remaining: KindCounts) -> KindCounts {
        var published = published
        for kind in EventKinds.kept {
            // Of an execution from the history, nobody knows how many records were published.
            published.update(kind) { $0 -= min($0, remaining.sum(of: kind)) }
        }
        return published
    }
}
