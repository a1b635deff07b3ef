internal import RxRecords
internal import RxAction

/// An execution in flight, or one that ended recently, with what is left of it.
enum KnownExecution {
    case hosted(HostedExecution)
    case brief(BriefExecution)
    /// What is left of a brief execution with a long element or error. Indirect, so that a place of
    /// `EndedExecutions` is a reference and nothing else.
    indirect case past(ExecutionRecord, of: Hosted)

    /// - Parameter brief: an execution that has ended.
    init(_ brief: BriefExecution) {
        self = brief.isLong ? .past(brief.record, of: brief.action) : .brief(brief)
    }

    var id: ExecutionID {
        switch self {
        case .hosted(let execution): execution.id
        case .brief(let execution): execution.id
        case .past(let record, _): record.id
        }
    }

    var action: Hosted {
        switch self {
        case .hosted(let execution): execution.action
        case .brief(let execution): execution.action
        case .past(_, let action): action
        }
    }

    /// The present record. With the event log's lock held.
    var record: ExecutionRecord {
        switch self {
        case .hosted(let execution): execution.record
        case .brief(let execution): execution.record
        case .past(let record, _): record
        }
    }
}
