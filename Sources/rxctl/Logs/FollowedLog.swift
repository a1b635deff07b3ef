internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints what happens to an execution in flight as it happens, and ends the session with it.
final class FollowedLog {
    private let session: DaemonSession
    private let execution: String
    private let printer: LogPrinter
    private let errors: FollowedErrors
    /// What is printed, by its kind and attempt: each record of the execution has what came before, too.
    private var printed: Set<[String]> = []
    /// The newest record of the execution that is printed, or about to be.
    private var record: JSONValue
    /// Records to be printed, one after the other.
    private var waiting: [JSONValue] = []

    /// - Parameter record: the execution as it is now.
    init(_ session: DaemonSession, _ record: JSONValue, _ printer: LogPrinter) {
        self.session = session
        self.record = record
        self.printer = printer
        execution = record["execution"]?.string ?? ""
        errors = FollowedErrors(session, of: execution)
    }

    func start() {
        session.endWholeLinesOnly()
        errors.onLine = { [weak self] line in
            self.map { $0.print(LogRecord.standardError(line, of: $0.record, now: .now)) }
        }
        PastAttempts(session, of: record) { [self] attempts in
            print(LogRecord.all(of: record, attempts: attempts))
            subscribe()
        }.read()
    }

    private func subscribe() {
        let request = SubscribeRequest(.execution([execution]), channels: [.executions])
        session.link.open(.subscription(request), deliver: { [self] in receive($0) }) { [self] reply in
            session.succeed { self.begin($0) }(reply)
        }
    }

    /// Goes on with the answer to the subscription, after a reconnection as well.
    private func begin(_ reply: RawJSON) {
        if let record = reply.value()["snapshot"]?["executions"]?[execution] { take(record) }
        errors.follow()
    }

    private func receive(_ delivery: LinkDelivery) {
        switch delivery {
        case .event(let event):
            switch (event.channel, event.reason) {
            case (.executions, _): (event.value?.value()).map { take($0) }
            case (.end, let reason?): ended(reason)
            case (.end, nil): session.finish()
            case _: break
            }
        case .reconnected(_, let reply): begin(reply)
        case .failed(let error): session.finish(Ending(error))
        case .finished: session.finish()
        }
    }

    private func ended(_ reason: EndReason) {
        switch reason {
        case .completed, .failed, .cancelled, .timedOut:
            // The event with its last record may have been dropped.
            session.call(.executionGet, RawJSON(["execution": .string(execution)])) { [self] in take($0.value()) }
        case .unsubscribed, .removed, .shutdown, .limit, .revoked:
            session.finish(.ended(reason))
        }
    }

    private func take(_ record: JSONValue) {
        waiting.append(record)
        if waiting.count == 1 { takeNext() }
    }

    private func takeNext() {
        guard let next = waiting.first else { return }
        record = next
        let isOver = next["endedAt"]?.isNull == false
        // What the work wrote before is printed before.
        errors.read(isOver: isOver) { [self] in
            let tail = isOver && !errors.isKept ? next.standardErrorTail : []
            print(LogRecord.all(of: next, attempts: [LogRecord.attempt(of: next)].compactMap(\.self), stderr: tail))
            if isOver { return session.finish() }
            waiting.removeFirst()
            takeNext()
        }
    }

    private func print(_ records: [LogRecord]) {
        for record in records {
            let isNew = printed.insert([record.kind.rawValue, record.facts["attempt"]?.int?.description ?? ""]).inserted
            if isNew || record.kind == .stderr { print(record) }
        }
    }

    private func print(_ record: LogRecord) {
        for line in printer.lines(record) { session.print(unquoted: line) }
    }
}
