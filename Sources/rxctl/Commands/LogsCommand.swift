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
            start, the attempts that failed before others, stderr as far as it is kept if the journal has none of it, \
            and the end. What the daemon did to end a program is in the journal only. If nothing is kept, the exit \
            status is 5.

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
        if all {
            if try printMerged("RXD_ACTION=\(target)") { return }
            return try printHistory()
        }
        let id = try execution()
        if try printMerged("RXD_EXECUTION=\(id)") { return }
        try DaemonSession.run(options, reconnecting: follow ? .forever : nil) { session in
            KeptLog(session, printer).print(id, follow: follow)
        }
    }

    /// Prints what the journal has, with what only the daemon has, and with `follow` what comes.
    ///
    /// - Returns: whether the journal has any record.
    private func printMerged(_ match: String) throws(Ending) -> Bool {
        // An empty journal can be followed for ever.
        let journal = try Journal.contents(match)
        guard journal.count > 0 else { return false }
        let id = String(match.trimmingPrefix("RXD_EXECUTION="))
        var kept = all ? keptOfAll(beside: journal) : kept(of: id, beside: journal)
        let isOver = kept.contains { $0.kind == .end }
        let follows = follow && !isOver
        // The journal may not have all of it yet.
        if follows { kept.removeAll { $0.kind == .stderr || $0.kind == .attempt } }
        var log = MergedLog(kept, in: journal)
        // The daemon alone knows when an execution starts that was queued.
        var awaitsStart = follows && !kept.isEmpty && !kept.contains { $0.kind == .started }
        var printed = 0
        var isDone = false
        while !isDone {
            var read = 0
            isDone = true
            _ = try Journal.read(match, follow: follows) { record throws(Ending) in
                read += 1
                guard read > printed else { return true }
                if awaitsStart, record.kind != .accepted {
                    isDone = false
                    return false
                }
                printed += 1
                try print(log.records(with: record))
                return !follows || record.kind != .end
            }
            guard !isDone else { break }
            awaitsStart = false
            try print(self.kept(of: id, beside: journal).filter { $0.kind == .started })
        }
        return true
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
                KeptLog(session, printer, beside: journal).read(all: [result.value()]) {
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
                KeptLog(session, printer, beside: journal).read(all: records[...]) {
                    found += $0
                    goOn()
                }
            }
        }
        return found
    }

    /// The id of the execution: the target itself, or the last execution of the action.
    private func execution() throws(Ending) -> String {
        // The journal of a daemon that is gone can be read as well.
        if let id = ExecutionArgument.id(target) { return id }
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

    private func printHistory() throws(Ending) {
        var isEmpty = true
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.executions, [target])
            list(session, limit: nil) { records, goOn in
                isEmpty = isEmpty && records.isEmpty
                KeptLog(session, printer).print(all: records[...], then: goOn)
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
