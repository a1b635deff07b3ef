internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints what happens to an execution in flight as it happens, and ends the session with it. Everything comes from the
/// daemon; from the journal, if that has records of the execution, its stderr, and what only the journal has.
final class FollowedLog {
    /// How long nothing comes from the journal before it counts as complete: far longer than journald takes.
    private static let patience = Duration.seconds(1)
    /// Between two looks at the journal meanwhile.
    private static let pause = Duration.milliseconds(20)

    private let session: DaemonSession
    private let execution: String
    private let printer: LogPrinter
    private let errors: FollowedErrors
    private let journal: FollowedJournal?
    private var errorSource: ErrorSource
    /// What is printed: each record of the execution has what came before, too.
    private var printed: Set<PrintedRecord>
    /// The newest record of the execution that is printed, or about to be.
    private var record: JSONValue
    /// Records to be printed, one after the other.
    private var waiting: [JSONValue] = []
    /// Records of the journal about what follows the start, which only the daemon has.
    private var early: [LogRecord] = []
    /// Whether the last record is being printed.
    private var isEnding = false

    /// - Parameters:
    ///   - record: the execution as it is now.
    ///   - journal: what the journal gets from now on; nil if it has no record of the execution.
    ///   - printed: what is printed already.
    init(
        _ session: DaemonSession, _ record: JSONValue, _ printer: LogPrinter, beside journal: FollowedJournal? = nil,
        after printed: Set<PrintedRecord> = []
    ) {
        self.session = session
        self.record = record
        self.printer = printer
        self.journal = journal
        self.printed = printed
        errorSource = journal == nil ? .daemon : printed.contains { $0.kind == .stderr } ? .journal : .undecided([])
        execution = record["execution"]?.string ?? ""
        errors = FollowedErrors(session, of: execution)
    }

    func start() {
        session.endWholeLinesOnly()
        errors.onLine = { [weak self] in self?.take(errorOfDaemon: $0) }
        journal?.onRecord = { [weak self] in self?.take(ofJournal: $0) }
        journal?.start(in: session)
        PastAttempts(session, of: record) { [self] attempts in
            print(LogRecord.all(of: record, attempts: attempts).filter { $0.kind != .end })
            if record.isOver { take(record) } else { subscribe() }
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
        case .unsubscribed, .removed, .shutdown, .limit, .revoked, .caughtUp:
            session.finish(.ended(reason))
        }
    }

    // MARK: The journal

    private func take(errorOfDaemon line: String) {
        if case .undecided(let held) = errorSource, held.isEmpty {
            session.schedule(after: Self.patience) { [self] in decide() }
        }
        for line in errorSource.take(ofDaemon: line) { print(error: line) }
    }

    private func decide() {
        for line in errorSource.decide() { print(error: line) }
    }

    private func print(error line: String) { print(LogRecord.standardError(line, of: record, now: .now)) }

    private var hasStarted: Bool { printed.contains(PrintedRecord(kind: .started)) }

    private func take(ofJournal record: LogRecord) {
        guard hasStarted || record.kind == .accepted || record.kind == .end else { return early.append(record) }
        print(ofJournal: record)
    }

    private func takeEarly() {
        let records = early
        early = []
        for record in records { print(ofJournal: record) }
    }

    private func print(ofJournal record: LogRecord) {
        switch record.kind {
        case .stderr: if errorSource.takeOfJournal() { print(record) }
        case .end:
            // The daemon has it, too, unless it is gone.
            session.schedule(after: Self.patience) { [self] in
                guard !isEnding else { return }
                takeEarly()
                decide()
                print([record])
                session.finish()
            }
        case .daemon: print(record)
        case .accepted where record.isJoined: print(record)
        case .accepted, .started, .attempt: print([record])
        }
    }

    /// Calls `body` when the journal has the end, or nothing new for a while.
    ///
    /// - Parameters:
    ///   - count: how many records it had.
    ///   - waited: for how long it had no more.
    private func whenJournalIsOver(
        _ count: Int = 0, _ waited: Duration = .zero, then body: @escaping () -> Void
    ) {
        guard let journal, journal.isOpen, journal.end == nil, waited < Self.patience else { return body() }
        session.schedule(after: Self.pause) { [self] in
            whenJournalIsOver(journal.count, journal.count == count ? waited + Self.pause : .zero, then: body)
        }
    }

    // MARK: The daemon

    private func take(_ record: JSONValue) {
        waiting.append(record)
        if waiting.count == 1 { takeNext() }
    }

    private func takeNext() {
        guard let next = waiting.first else { return }
        record = next
        print(LogRecord.all(of: next).filter { $0.kind != .end })
        if hasStarted { takeEarly() }
        // What the work wrote before is printed before.
        errors.read(isOver: next.isOver) { [self] in
            guard next.isOver else {
                print(LogRecord.all(of: next, attempts: [LogRecord.attempt(of: next)].compactMap(\.self)))
                waiting.removeFirst()
                return takeNext()
            }
            isEnding = true
            whenJournalIsOver { [self] in end(next) }
        }
    }

    private func end(_ record: JSONValue) {
        takeEarly()
        decide()
        var tail: [String] = []
        if case .daemon = errorSource, !errors.isKept { tail = record.standardErrorTail }
        let kept = LogRecord.all(of: record, attempts: [LogRecord.attempt(of: record)].compactMap(\.self), stderr: tail)
        // The journal's has the time that its other records have.
        print(kept.map { $0.kind == .end ? journal?.end ?? $0 : $0 })
        session.finish()
    }

    private func print(_ records: [LogRecord]) {
        for record in records {
            let isNew = printed.insert(PrintedRecord(record)).inserted
            if isNew || record.kind == .stderr { print(record) }
        }
    }

    private func print(_ record: LogRecord) {
        for line in printer.lines(record) { session.print(unquoted: line) }
    }
}

/// What of a record is the same, whether it comes from the journal or the daemon.
struct PrintedRecord: Hashable {
    let kind: LogRecord.Kind
    let attempt: Int?

    init(_ record: LogRecord) { self.init(kind: record.kind, attempt: record.facts["attempt"]?.int) }

    init(kind: LogRecord.Kind, attempt: Int? = nil) {
        self.kind = kind
        self.attempt = attempt
    }
}

extension JSONValue {
    /// Whether the execution of a record has ended.
    fileprivate var isOver: Bool { self["endedAt"]?.isNull == false }
}
