internal import RxRecords
internal import RxAction

/// An execution in flight, or one that ended recently, with what is left of it.
enum KnownExecution {
    case hosted(HostedExecution)
    case brief(BriefExecution)

    var id: ExecutionID {
        switch self {
        case .hosted(let execution): execution.id
        case .brief(let execution): execution.id
        }
    }

    var action: Hosted {
        switch self {
        case .hosted(let execution): execution.action
        case .brief(let execution): execution.action
        }
    }

    /// The present record. With the event log's lock held.
    var record: ExecutionRecord {
        switch self {
        case .hosted(let execution): execution.record
        case .brief(let execution): execution.record
        }
    }
}
