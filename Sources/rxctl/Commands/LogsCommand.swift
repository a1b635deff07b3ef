internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct LogsCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Prints what the daemon recorded of an execution: its request, attempts, stderr, end, and causes.",
        usage: "rxctl logs [<options>] <target>",
        discussion: """
            For an action: its last execution, or with --all everything that is recorded of the action. The records \
            come from the journal, as far as you may read it, and what it lacks from the daemon: the request, the \
            start, each failed attempt that was followed by another, stderr as far as it is kept if the journal \
            has none of it, and the end. What the daemon did to end a program is in the journal only. If nothing is \
            kept, the exit status is 5.

            A line has the time, one of accepted, started, attempt, stderr, daemon, or the state at the end, and a \
            text; the causes follow the end. With --json: \
            {"time":…,"action":…,"execution":…,"kind":…,"text":…}, where kind is one of accepted, started, attempt, \
            stderr, daemon, and end.
            """)

    @Flag(name: .shortAndLong, help: "Go on with new records until the execution has ended.")
    var follow = false

    @Flag(help: "For an action: print the records of all its executions.")
    var all = false

    @Argument(help: "An execution's id, or an action's name.", completion: .executionsAndActions)
    var target: String

    @OptionGroup var options: GlobalOptions

    private var printer: LogPrinter { LogPrinter(isJSON: options.json, showsExecutions: all) }

    func validate() throws {
        if target.isEmpty { throw ValidationError("The name is empty.") }
        if all, ExecutionArgument.id(target) != nil { throw ValidationError("--all is for an action.") }
        if all, follow { throw ValidationError("--follow is for one execution; remove --all.") }
    }

    func run() throws {
        let id = all ? nil : try execution()
        let match = id.map { "RXD_EXECUTION=\($0)" } ?? "RXD_ACTION=\(target)"
        let journal = try Journal.contents(match)
        // An empty journal can be followed for ever.
        guard journal.count > 0 else { return try printKept(id) }
        guard let id else {
            _ = try print(match, MergedLog(keptOfAll(beside: journal), in: journal))
            return
        }
        var kept = kept(of: id, beside: journal)
        guard follow, !journal.hasEnd(of: id), !kept.contains(where: { $0.kind == .end }) else {
            _ = try print(match, MergedLog(kept, in: journal))
            return
        }
        let isKnown = !kept.isEmpty
        // It is read again from the begin on.
        kept.removeAll { $0.kind == .stderr }
        let (count, printed) = try print(match, MergedLog(kept, in: journal))
        if isKnown { try followBoth(id, match, count, printed) } else { try followJournal(match, count) }
    }

    /// Prints what the daemon has of an execution, or of the action.
    private func printKept(_ id: String?) throws(Ending) {
        guard let id else { return try printHistory() }
        try DaemonSession.run(options, reconnecting: follow ? .forever : nil) { session in
            DaemonLog(session, printer).print(id, follow: follow)
        }
    }

    /// Prints what the journal has, with what only the daemon has.
    ///
    /// - Returns: the number of records of the journal, and what is printed.
    private func print(_ match: String, _ merged: MergedLog) throws(Ending) -> (Int, Set<PrintedRecord>) {
        var log = merged
        var count = 0
        var printed: Set<PrintedRecord> = []
        try Journal.read(match) { record throws(Ending) in
            count += 1
            let records = log.records(with: record)
            printed.formUnion(records.map { PrintedRecord($0) })
            try print(records)
            return true
        }
        return (count, printed)
    }

    /// Goes on with what both get of an execution in flight.
    private func followBoth(
        _ id: String, _ match: String, _ count: Int, _ printed: Set<PrintedRecord>
    ) throws(Ending) {
        let journal = FollowedJournal(match, after: count)
        defer { journal.close() }
        try DaemonSession.run(options, reconnecting: .forever) { session in
            session.call(.executionGet, RawJSON(["execution": .string(id)])) { result in
                FollowedLog(session, result.value(), printer, beside: journal, after: printed).start()
            }
        }
    }

    /// Goes on with the journal alone: the daemon is gone, or keeps the execution to itself.
    private func followJournal(_ match: String, _ count: Int) throws(Ending) {
        var read = 0
        try Journal.read(match, follow: true) { record throws(Ending) in
            read += 1
            guard read > count else { return true }
            try print([record])
            return record.kind != .end
        }
    }

    private func print(_ records: [LogRecord]) throws(Ending) {
        for record in records {
            for line in printer.lines(record) { try StandardStreams.printLine(line) }
        }
    }

    /// What the daemon has of an execution; nothing if it cannot be asked, does not know it, or keeps it to itself: the
    /// journal of a daemon that is gone can be read as well.
    private func kept(of id: String, beside journal: JournalContents) -> [LogRecord] {
        var found: [LogRecord] = []
        try? DaemonSession.run(options) { session in
            session.call(.executionGet, RawJSON(["execution": .string(id)])) { result in
                DaemonLog(session, printer, beside: journal).read(all: [result.value()]) {
                    found = $0
                    session.finish()
                }
            }
        }
        return found
    }

    /// What the daemon has of all executions of the action.
    private func keptOfAll(beside journal: JournalContents) -> [LogRecord] {
        var found: [LogRecord] = []
        try? DaemonSession.run(options) { session in
            list(session, limit: nil) { records, goOn in
                DaemonLog(session, printer, beside: journal).read(all: records[...]) {
                    found += $0
                    goOn()
                }
            }
        }
        return found
    }

    /// The id of the execution: the target itself, or the last execution of the action.
    private func execution() throws(Ending) -> String {
        // The journal of a daemon that is gone can be read as well, and it has what the daemon does not keep.
        if let id = ExecutionArgument.id(target) { return id }
        do throws(Ending) {
            return try lastOfDaemon()
        } catch {
            guard [.unreachable, .error(.notFound)].contains(error.outcome), let last = try lastOfJournal() else {
                throw error
            }
            return last
        }
    }

    private func lastOfDaemon() throws(Ending) -> String {
        var last: String?
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.executions, [target]) {
                last = $0[0]
                session.finish()
            }
            list(session, limit: 1) { records, goOn in
                last = records.last?["execution"]?.string ?? last
                goOn()
            }
        }
        guard let last else { throw Ending.nothingKept(of: target) }
        return last
    }

    /// Ids are in the order of their acceptance.
    private func lastOfJournal() throws(Ending) -> String? {
        var last: String?
        try Journal.read("RXD_ACTION=\(target)") { record throws(Ending) in
            if let id = record.execution { last = max(id, last ?? id) }
            return true
        }
        return last
    }

    private func printHistory() throws(Ending) {
        var isEmpty = true
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.executions, [target])
            list(session, limit: nil) { records, goOn in
                isEmpty = isEmpty && records.isEmpty
                DaemonLog(session, printer).print(all: records[...], then: goOn)
            }
        }
        if isEmpty { throw Ending.nothingKept(of: target) }
    }

    /// Calls `body` with the records of the action's executions.
    private func list(
        _ session: DaemonSession, limit: Int?,
        _ body: @escaping ([JSONValue], _ goOn: @escaping () -> Void) -> Void
    ) {
        let list = ListedExecutions(session, ["action": .string(target)], limit: limit)
        list.onRecords = body
        list.onEnd = { _ in session.finish() }
        list.start()
    }
}
