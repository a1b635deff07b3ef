internal import RxRecords
internal import RxAction

/// The executions that ended most recently, a ring of fixed size.
struct EndedExecutions {
    /// An execution that has ended, with what is left of it.
    enum Entry {
        case hosted(HostedExecution)
        case brief(BriefExecution)

        var id: ExecutionID {
            switch self {
            case .hosted(let execution): execution.id
            case .brief(let execution): execution.id
            }
        }

        var record: ExecutionRecord {
            switch self {
            case .hosted(let execution): execution.record
            case .brief(let execution): execution.record
            }
        }
    }

    private var entries: [Entry] = []
    /// The place of the oldest, where the next one goes once all places are taken.
    private var oldest = 0

    mutating func append(_ entry: Entry) {
        if entries.count < EventLog.endedKept {
            entries.append(entry)
        } else {
            entries[oldest] = entry
            oldest = oldest + 1 == EventLog.endedKept ? 0 : oldest + 1
        }
    }

    /// The records, oldest first.
    var records: [ExecutionRecord] { (entries[oldest...] + entries[..<oldest]).map(\.record) }

    func execution(_ id: ExecutionID) -> HostedExecution? {
        switch entries.first(where: { $0.id == id }) {
        case nil: nil
        case .hosted(let execution): execution
        case .brief(let execution): HostedExecution(ended: execution.record, action: execution.action)
        }
    }
}
