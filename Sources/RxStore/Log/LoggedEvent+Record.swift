internal import RxRecords

extension LoggedEvent.Content {
    /// The content of an execution's event, whose row has no value: the record has everything.
    ///
    /// - Parameters:
    ///   - kind: the column `kind`.
    ///   - record: the execution, as it is now.
    ///   - time: when the event happened, in milliseconds since 1970.
    /// - Returns: nil for a row that no version has written.
    init?(kind: String, _ record: ExecutionRecord, at time: Int64) {
        switch (kind, record.error) {
        case ("failed", let error?): self = .failed(error)
        case ("ended", _): self = .ended(record, isKeyed: false)
        case ("started", _): self = .started(record.before(startedAt: time))
        case ("queued", _): self = .queued(record.before(startedAt: nil))
        case _: return nil
        }
    }
}

extension ExecutionRecord {
    /// The record as it was before its end.
    ///
    /// - Parameter time: when its work started; nil before that.
    fileprivate func before(startedAt time: Int64?) -> ExecutionRecord {
        var record = self
        record.state = time == nil ? .queued : .executing
        record.startedAt = time
        record.endedAt = nil
        record.elements = 0
        record.error = nil
        return record
    }
}
