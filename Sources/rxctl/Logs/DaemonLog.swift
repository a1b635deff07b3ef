internal import RxClient
internal import RxJSON
internal import RxProtocol

/// What the daemon itself keeps of executions.
final class DaemonLog {
    private let session: DaemonSession
    private let printer: LogPrinter
    /// What is in the journal need not be requested.
    private let journal: JournalContents

    init(_ session: DaemonSession, _ printer: LogPrinter, beside journal: JournalContents = JournalContents()) {
        self.session = session
        self.printer = printer
        self.journal = journal
    }

    /// Prints the records of an execution, or of the last one of an action, and ends the session.
    ///
    /// - Parameter follow: whether to go on until the execution's end.
    func print(_ target: String, follow: Bool) {
        session.link.call(.executionGet, RawJSON(["execution": .string(target)])) { [self] reply in
            guard !reply.isNotFound else { return session.finish(.nothingKept(of: target)) }
            session.succeed { result in
                let record = result.value()
                guard follow, record["endedAt"]?.isNull == true else {
                    return self.print(all: [record]) { self.session.finish() }
                }
                FollowedLog(self.session, record, self.printer).start()
            }(reply)
        }
    }

    /// Prints the records of several executions, one execution after the other.
    func print(all records: ArraySlice<JSONValue>, then body: @escaping () -> Void) {
        guard let record = records.first else { return body() }
        read(record) { [self] found in
            for record in found {
                for line in printer.lines(record) { session.print(unquoted: line) }
            }
            print(all: records.dropFirst(), then: body)
        }
    }

    /// Calls `body` with the records of several executions.
    func read(
        all records: ArraySlice<JSONValue>, after found: [LogRecord] = [], then body: @escaping ([LogRecord]) -> Void
    ) {
        guard let record = records.first else { return body(found) }
        read(record) { [self] in read(all: records.dropFirst(), after: found + $0, then: body) }
    }

    private func read(_ record: JSONValue, then body: @escaping ([LogRecord]) -> Void) {
        let id = record["execution"]?.string ?? ""
        let past = PastAttempts(session, of: record) { [self] attempts in
            guard !journal.hasErrors(of: id) else { return body(LogRecord.all(of: record, attempts: attempts)) }
            session.keptStandardError(of: record) { body(LogRecord.all(of: record, attempts: attempts, stderr: $0)) }
        }
        if journal.hasAttempts(past.count, of: id) { past.finish() } else { past.read() }
    }
}

extension Ending {
    /// Neither the journal nor the daemon has anything.
    static func nothingKept(of target: String) -> Ending {
        Ending(
            outcome: .error(.notFound), message: .text("no records of \(target) are kept"),
            facts: ["name": .string(ErrorCode.notFound.name)])
    }
}
