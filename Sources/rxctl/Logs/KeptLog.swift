internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints what the daemon itself keeps of an execution, where there is no journal.
final class KeptLog {
    private let session: DaemonSession
    /// The execution's id, or an action's name.
    private let target: String
    private let printer: LogPrinter
    /// The records that are printed. Those of a later state begin with them.
    private var printed = 0

    init(_ session: DaemonSession, _ target: String, _ printer: LogPrinter) {
        self.session = session
        self.target = target
        self.printer = printer
    }

    /// - Parameter follow: whether to go on until the execution's end.
    func start(follow: Bool) {
        get { [self] record in
            guard follow, record["endedAt"]?.isNull == true else {
                return print(record) { self.session.finish() }
            }
            print(record) {}
            session.endWholeLinesOnly()
            followToEnd()
        }
    }

    /// Prints the records of several executions, one execution after the other.
    func print(all records: ArraySlice<JSONValue>, then body: @escaping () -> Void) {
        guard let record = records.first else { return body() }
        printed = 0
        print(record) { [self] in print(all: records.dropFirst(), then: body) }
    }

    private func get(_ body: @escaping (JSONValue) -> Void) {
        session.link.call(.executionGet, RawJSON(["execution": .string(target)])) { [self] reply in
            guard !reply.isNotFound else { return session.finish(.nothingKept(of: target)) }
            session.succeed { body($0.value()) }(reply)
        }
    }

    private func followToEnd() {
        let request = SubscribeRequest(.execution([target]), channels: [.executions])
        _ = session.link.open(.subscription(request), deliver: { [self] in receive($0) }) { [self] reply in
            session.succeed { self.printSnapshot($0) }(reply)
        }
    }

    private func receive(_ delivery: LinkDelivery) {
        switch delivery {
        case .event(let event):
            switch (event.channel, event.reason) {
            case (.executions, _): (event.value?.value()).map { print($0) {} }
            case (.end, let reason?): ended(reason)
            case (.end, nil): session.finish()
            case _: break
            }
        case .reconnected(_, let reply): printSnapshot(reply)
        case .failed(let error): session.finish(Ending(error))
        case .finished: session.finish()
        }
    }

    private func ended(_ reason: EndReason) {
        switch reason {
        case .completed, .failed, .cancelled, .timedOut:
            // The event with its last record may have been dropped.
            get { [self] record in print(record) { self.session.finish() } }
        case .unsubscribed, .removed, .shutdown, .limit, .revoked:
            session.finish(.ended(reason))
        }
    }

    private func printSnapshot(_ reply: RawJSON) {
        if let record = reply.value()["snapshot"]?["executions"]?[target] { print(record) {} }
    }

    private func print(_ record: JSONValue, then body: @escaping () -> Void) {
        session.keptStandardError(of: record) { [self] lines in
            let records = LogRecord.all(of: record, stderr: lines)
            for record in records.dropFirst(printed) {
                for line in printer.lines(record) { session.print(unquoted: line) }
            }
            printed = max(printed, records.count)
            body()
        }
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
