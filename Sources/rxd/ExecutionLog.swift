internal import Logging
internal import RxHost

extension Logger {
    /// One journal record for the end of an execution.
    func log(ending record: ExecutionRecord) {
        var metadata: Metadata = [
            "action": "\(record.action)", "execution": "\(record.id)", "state": "\(record.state.rawValue)",
        ]
        if case .peer(let uid, _, _) = record.by { metadata["peer-uid"] = "\(uid)" }
        let level: Level =
            switch record.state {
            case .queued, .executing, .completed: .info
            case .cancelled: .notice
            case .failed, .timedOut, .interrupted: .warning
            }
        log(
            level: level, "\(record.action) \(record.state.rawValue)\(record.error.map { ": \($0)" } ?? "")",
            metadata: metadata)
    }
}
