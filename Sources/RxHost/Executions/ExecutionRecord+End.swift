internal import RxRecords

extension ExecutionRecord {
    /// Ends the execution, with nil if it completed.
    mutating func end(_ error: ExecutionError?, at time: Int64) {
        state = error?.state ?? .completed
        self.error = error
        endedAt = time
        if let attempts { self.attempts = attempts.ended }
    }

    /// Whether the execution ended only for this host: the next one starts it.
    package var isPostponed: Bool {
        if case .postponed? = error { return true }
        return false
    }
}
