internal import RxRecords
internal import RxAction

/// The executions that ended most recently, a ring of fixed size.
struct EndedExecutions {
    /// Ended executions kept for `execution.get` and `execution.list`.
    static let kept = 1000

    private var entries: [KnownExecution] = []
    /// The place of the oldest, where the next one goes once all places are taken.
    private var oldest = 0

    mutating func append(_ entry: consuming KnownExecution) {
        if entries.count < EndedExecutions.kept {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = oldest + 1 == EndedExecutions.kept ? 0 : oldest + 1
        }
    }

    /// The records, oldest first.
    var records: [ExecutionRecord] { (entries[oldest...] + entries[..<oldest]).map(\.record) }

    /// The ended executions with these ids.
    func executions(_ ids: Set<ExecutionID>) -> [ExecutionID: KnownExecution] {
        guard !ids.isEmpty else { return [:] }
        var found: [ExecutionID: KnownExecution] = [:]
        for entry in entries where ids.contains(entry.id) { found[entry.id] = entry }
        return found
    }

    func execution(_ id: ExecutionID) -> KnownExecution? { entries.first { $0.id == id } }
}
