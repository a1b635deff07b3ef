internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints what the daemon itself keeps of an execution, where there is no journal.
final class KeptLog {
    private let session: DaemonSession
    /// The execution's id, or an action's name.
    private let target: String
    private let printer: LogPrinter

    init(_ session: DaemonSession, _ target: String, _ printer: LogPrinter) {
        self.session = session
        self.target = target
        self.printer = printer
    }

    /// - Parameter follow: whether to go on until the execution's end.
    func start(follow: Bool) {
        session.link.call(.executionGet, RawJSON(["execution": .string(target)])) { [self] reply in
            guard !reply.isNotFound else { return session.finish(.nothingKept(of: target)) }
            session.succeed { result in
                let record = result.value()
                guard follow, record["endedAt"]?.isNull == true else {
                    return self.print(record) { self.session.finish() }
                }
                FollowedLog(self.session, record, self.printer).start()
            }(reply)
        }
    }

    /// Prints the records of several executions, one execution after the other.
    func print(all records: ArraySlice<JSONValue>, then body: @escaping () -> Void) {
        guard let record = records.first else { return body() }
        print(record) { [self] in print(all: records.dropFirst(), then: body) }
    }

    private func print(_ record: JSONValue, then body: @escaping () -> Void) {
        PastAttempts(session, of: record) { [self] attempts in
            session.keptStandardError(of: record) { [self] lines in
                for record in LogRecord.all(of: record, attempts: attempts, stderr: lines) {
                    for line in printer.lines(record) { session.print(unquoted: line) }
                }
                body()
            }
        }.read()
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
