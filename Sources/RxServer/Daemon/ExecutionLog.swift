package import Logging
package import RxHost
internal import RxJSON
internal import RxProtocol
package import RxRecords
package import RxStore

extension Logger {
    /// Logs each execution that an earlier daemon left unfinished, the number of inputs that continue to wait, and
    /// those that are late.
    ///
    /// - Parameter time: now, in milliseconds since 1970.
    package func log(resuming recovery: Recovery, at time: Int64) {
        for record in recovery.interrupted { log(ending: record) }
        let unlisted = recovery.interruptedCount - recovery.interrupted.count
        if unlisted > 0 { warning("\(unlisted) more executions were interrupted") }
        if !recovery.queued.isEmpty { notice("resuming \(recovery.queued.count) waiting inputs") }
        for input in recovery.queued { log(late: input, at: time) }
    }

    /// Logs an execution whose time has come while no daemon ran.
    private func log(late input: StoredInput, at time: Int64) {
        guard let dueAt = input.dueAt, dueAt < time else { return }
        let late = Duration.milliseconds(time - dueAt).rxText
        notice(
            "\(input.action) was to start at \(Timestamp(milliseconds: dueAt)); it starts now, \(late) late",
            metadata: ["action": "\(input.action)", "execution": "\(input.id)"])
    }

    /// Logs a failed attempt that another attempt follows.
    package func log(retrying note: RetryNote) {
        warning(
            """
            \(note.record.action) failed, attempt \(note.attempt) of \(note.attempts): \(note.error); \
            the next in \(note.delay.rxText)
            """,
            metadata: [
                "action": "\(note.record.action)", "execution": "\(note.record.id)", "attempt": "\(note.attempt)",
            ].merging(note.record.causes.metadata) { own, _ in own })
    }

    /// Logs the end of an execution.
    package func log(ending record: ExecutionRecord) {
        var metadata: Metadata = [
            "action": "\(record.action)", "execution": "\(record.id)", "state": "\(record.state.rawValue)",
        ]
        metadata.merge(record.causes.metadata) { own, _ in own }
        if let uid = record.by.uid { metadata["peer-uid"] = "\(uid)" }
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

    /// Logs a failure in a reactor.
    package func log(_ fault: ReactorFault, of reactor: String) {
        warning(
            "a reactor failed: \(fault.text)",
            metadata: ["reactor": "\(reactor)", "stage": "\(fault.stage.rawValue)"])
    }
}

extension Causes {
    /// `RXD_ORIGIN`, the last link: `uid 1000` for a user, whatever the process; and `RXD_CAUSES`, all links as JSON as
    /// in a record, with `RXD_CAUSES_OMITTED` if some are left out.
    var metadata: Logger.Metadata {
        var writer = JSONWriter()
        writeLinks(to: &writer)
        var metadata: Logger.Metadata = [
            "origin": "\(origin.uid.map { "uid \($0)" } ?? "\(origin)")",
            "causes": "\(RawJSON(unchecked: writer.bytes).text)",
        ]
        if omitted > 0 { metadata["causes-omitted"] = "\(omitted)" }
        return metadata
    }
}
