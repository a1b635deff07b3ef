package import Logging
package import RxHost
internal import RxJSON
package import RxRecords
package import RxStore

extension Logger {
    /// Logs each execution that an earlier daemon left unfinished, and the number of inputs that continue to wait.
    package func log(resuming recovery: Recovery) {
        for record in recovery.interrupted { log(ending: record) }
        let unlisted = recovery.interruptedCount - recovery.interrupted.count
        if unlisted > 0 { warning("\(unlisted) more executions were interrupted") }
        if !recovery.queued.isEmpty { notice("\(recovery.queued.count) inputs that waited are taken up again") }
        if recovery.unreadable > 0 {
            warning("\(recovery.unreadable) rows of the state could not be read, and are left as they are")
        }
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
            ])
    }

    /// Logs the end of an execution.
    package func log(ending record: ExecutionRecord) {
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

    /// Logs a failure in a reactor.
    package func log(_ fault: ReactorFault, of reactor: String) {
        warning(
            "a reactor failed: \(fault.message)",
            metadata: ["reactor": "\(reactor)", "stage": "\(fault.stage.rawValue)"])
    }
}
