internal import RxAction
internal import RxStore

/// The ends of executions that were passed to the store, until it answers. While the disk hangs they are delivered all
/// the same; then the next daemon must not take the executions for interrupted.
struct UnansweredEnds {
    private struct End {
        let execution: ExecutionID
        let number: UInt64
        /// The first event of the execution.
        let begin: UInt64
        /// Whether the store has a note of it.
        var isNoted = false
    }

    /// In the order of the log.
    private var ends: [End] = []
    /// What was passed to the store before it began to hang. Of executions that have begun later, nothing is written.
    private var begunThrough: UInt64?
    /// The last event that was passed to the store.
    private var passedThrough: UInt64 = 0

    /// The store was passed these events.
    mutating func append(_ events: [LoggedEvent]) {
        passedThrough = events.last?.number ?? passedThrough
        for event in events where event.isEnd {
            guard let id = event.execution else { continue }
            ends.append(End(execution: id, number: event.number, begin: event.begin))
        }
    }

    /// Takes the executions of which a note is needed before events up to a number are delivered unwritten.
    ///
    /// - Returns: the executions, and the first event of them all; nil if there are none.
    mutating func takeUnnoted(through number: UInt64) -> (ids: [ExecutionID], begin: UInt64)? {
        let begun = begunThrough ?? passedThrough
        begunThrough = begun
        var (ids, first) = ([ExecutionID](), UInt64.max)
        for index in ends.indices where ends[index].number <= number && ends[index].begin <= begun {
            guard !ends[index].isNoted else { continue }
            ends[index].isNoted = true
            ids.append(ends[index].execution)
            first = min(first, ends[index].begin)
        }
        return ids.isEmpty ? nil : (ids, first)
    }

    /// The store has answered for all events up to a number.
    ///
    /// - Returns: the executions that were noted.
    mutating func answered(through number: UInt64) -> [ExecutionID] {
        begunThrough = nil
        guard let first = ends.first, first.number <= number else { return [] }
        let count = ends.firstIndex { $0.number > number } ?? ends.count
        let noted = ends[..<count].filter(\.isNoted).map(\.execution)
        ends.removeFirst(count)
        return noted
    }
}
