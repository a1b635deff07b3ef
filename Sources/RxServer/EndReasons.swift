internal import RxProtocol
internal import RxRecords

extension EndReason {
    /// The reason why the stream of an execution ends; nil while it goes on.
    init?(_ state: ExecutionState) {
        switch state {
        case .queued, .executing: return nil
        case .completed: self = .completed
        case .failed, .interrupted: self = .failed
        case .cancelled: self = .cancelled
        case .timedOut: self = .timedOut
        }
    }

    /// Whether what is kept comes before the end.
    var followsPast: Bool {
        switch self {
        case .completed, .failed, .cancelled, .timedOut, .removed, .caughtUp: true
        case .unsubscribed, .shutdown, .limit, .revoked: false
        }
    }
}

extension [ExecutionRecord] {
    /// How the one of them ended that ended last.
    var endReason: EndReason? {
        self.max { ($0.endedAt ?? 0) < ($1.endedAt ?? 0) }.flatMap { EndReason($0.state) }
    }
}
