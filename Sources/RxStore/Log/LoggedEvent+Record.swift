internal import RxRecords

extension LoggedEvent.Content {
    /// The content of an execution's event, whose row has no value, unless it is about an attempt: the record has
    /// the rest.
    ///
    /// - Parameters:
    ///   - kind: the column `kind`.
    ///   - record: the execution, as it is now.
    ///   - time: when the event happened, in milliseconds since 1970.
    ///   - attempts: the column `value` of an `attempt`.
    /// - Returns: nil for a row that no version has written.
    init?(kind: String, _ record: ExecutionRecord, at time: Int64, attempts: Attempts?) {
        switch (kind, record.error) {
        case ("failed", let error?): self = .failed(error, of: record)
        case ("ended", _): self = .ended(record, isKeyed: false)
        case ("started", _):
            self = .started(
                record.before(startedAt: time, attempts: record.attempts.map { Attempts(1, of: $0.most) }))
        case ("attempt", _):
            guard let attempts else { return nil }
            self = .attempt(record.before(startedAt: record.startedAt, attempts: attempts))
        case ("queued", _): self = .queued(record.before(startedAt: nil))
        case _: return nil
        }
    }
}

extension ExecutionRecord {
    /// The record as it was before its end.
    ///
    /// - Parameters:
    ///   - time: when its work started; nil before that.
    ///   - attempts: those by then.
    fileprivate func before(startedAt time: Int64?, attempts: Attempts? = nil) -> ExecutionRecord {
        var record = self
        record.state = time == nil ? .queued : .executing
        record.startedAt = time
        record.endedAt = nil
        record.elements = 0
        record.error = nil
        record.attempts = attempts
        return record
    }
}
