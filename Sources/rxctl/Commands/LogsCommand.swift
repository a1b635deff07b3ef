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
            come from the journal, as far as you may read it. If the journal has none, they come from the daemon: the \
            request, the start, the attempts that failed before others, stderr as far as it is kept, and the end, but \
            not what the daemon did to end a program. If nothing is kept, the exit status is 5.

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
            if try printJournal("RXD_ACTION=\(target)", follow: false) { return }
            return try printHistory()
        }
        let id = try execution()
        if try printJournal("RXD_EXECUTION=\(id)", follow: follow) { return }
        try DaemonSession.run(options, reconnecting: follow ? .forever : nil) { session in
            KeptLog(session, id, printer).start(follow: follow)
        }
    }

    /// - Returns: whether the journal has any record.
    private func printJournal(_ match: String, follow: Bool) throws(Ending) -> Bool {
        // An empty journal can be followed for ever.
        if follow, try !Journal.read(match, last: 1, { _ in true }) { return false }
        return try Journal.read(match, follow: follow) { record throws(Ending) in
            for line in printer.lines(record) { try StandardStreams.printLine(line) }
            return !follow || record.kind != .end
        }
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
                KeptLog(session, target, printer).print(all: records[...], then: goOn)
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
