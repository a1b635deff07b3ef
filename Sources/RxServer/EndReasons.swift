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

    /// Whether it is about what was subscribed to, and not about the subscription.
    var isOfTarget: Bool {
        switch self {
        case .completed, .failed, .cancelled, .timedOut, .removed: true
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
