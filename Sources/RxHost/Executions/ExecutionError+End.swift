internal import RxAction
internal import RxRecords

extension ExecutionError {
    /// The error behind an end of an action's execution; nil if it completed.
    init?(_ end: ExecutionEnd) {
        switch end {
        case .completed:
            return nil
        case .failed(let error):
            self = .failed(error as? WorkFailure ?? WorkFailure(message: String(describing: error)))
        case .cancelled(let reason):
            switch reason {
            case let reason as WorkTimedOut: self = .timedOut(limit: reason.limit)
            case is HostStopping: self = .stopped
            case let reason as ExecutionSuperseded: self = .superseded(by: reason.by)
            case let reason as CancellationRequest: self = .cancelled(by: reason.by)
            default: self = .cancelled(by: nil)
            }
        }
    }
}
