internal import ArgumentParser
internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct HistoryCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Lists executions, or a reactor's past actions, oldest first.",
        usage: "rxctl history [<options>] [<name> ...]",
        discussion: """
            Without a name, it lists the executions of all actions. Prints a table on a terminal; otherwise, and with \
            --json, one record per line, as they arrive. A table has the last 8 characters of the ids, which other \
            commands take, and its texts are cut to fit; --json has everything. The daemon keeps as much as its \
            configuration states; older executions and revisions are gone.

            With --limit, it lists the newest records; to page backwards, give the id of the first execution as \
            --before, or for a reactor the first revision.
            """)

    @Option(
        help: ArgumentHelp(
            "List only executions in these states, separated by commas.",
            discussion: StateList.all.joined(separator: ", "), valueName: "states"),
        completion: .list(StateList.all), transform: { try StateList($0) })
    var state: StateList?

    @Option(
        help: ArgumentHelp(
            "List only executions that were accepted at this time or later: 10m (ago), 2026-11-22T03:00.",
            discussion: """
                Also a day, a time of day, which is the last one, and a time with an offset (Z, +01:00) or a zone \
                ("03:00 Europe/Berlin"). Without either, a time is one of this machine's zone.
                """, valueName: "time"),
        transform: { try PastTime.parse($0) })
    var since: PastTime?

    @Option(
        help: ArgumentHelp("List only executions that were accepted before this time.", valueName: "time"),
        transform: { try PastTime.parse($0) })
    var until: PastTime?

    @Option(
        help: ArgumentHelp(
            "List only executions that this user, reactor (reactor:NAME), or stream (stream:NAME) requested.",
            discussion: "A user's name or uid. The requester is the nearest cause.", valueName: "requester"),
        completion: .requesters, transform: { try RequesterArgument($0) })
    var by: RequesterArgument?

    @Option(
        help: ArgumentHelp(
            "List only executions with this text in the input, the error, or the output as far as it is kept.",
            discussion: """
                The text is literal. Upper and lower case are the same, unless it has an upper-case letter.
                """, valueName: "text"))
    var grep: String?

    @Option(help: ArgumentHelp("List at most this many records, the newest ones.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("List only records older than this execution or revision.", valueName: "position"))
    var before: HistoryPosition?

    @Argument(
        help: ArgumentHelp("Names of actions, or the name of one reactor.", valueName: "name"),
        completion: .actionsAndReactors)
    var names: [String] = []

    @OptionGroup var tables: TableOptions

    var options: GlobalOptions { tables.options }

    func validate() throws {
        if let limit, !(1...Limits.listed).contains(limit) {
            throw ValidationError("--limit must be 1 to \(Limits.listed).")
        }
        if let grep, grep.isEmpty { throw ValidationError("--grep is empty.") }
        if let since, let until, until.timestamp < since.timestamp {
            throw ValidationError(
                "--until is \(until.timestamp), which is before --since, \(since.timestamp); "
                    + "a time of day is the last one that has passed: write the day, too.")
        }
        guard case .revision(let revision) = before else { return }
        if let option = optionOfActions {
            throw ValidationError(
                "\(option) selects executions, but --before \(revision) is a revision; write all of an execution's id.")
        }
        if names.count != 1 {
            throw ValidationError(
                "--before \(revision) is a revision, and needs the name of one reactor; write all of an execution's id."
            )
        }
    }

    /// An option that is given and selects executions.
    private var optionOfActions: String? {
        let given = [
            ("--state", state != nil), ("--since", since != nil), ("--until", until != nil), ("--by", by != nil),
            ("--grep", grep != nil),
        ]
        return given.first { $0.1 }?.0
    }

    func run() throws {
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.history, names)
            if case .revision = before {
                pastActions(session).start(
                    orIfAction: .usage("\(names[0]) is an action; its --before takes an execution's id"))
            } else if case .part(let part) = before {
                findExecution(part, session) { listExecutions(session, before: $0) }
            } else {
                listExecutions(session, before: before?.text)
            }
        }
    }

    /// Calls `body` with the id of the execution whose id has this part.
    private func findExecution(_ part: String, _ session: DaemonSession, then body: @escaping (String) -> Void) {
        session.findExecutions([part]) { found in
            if let id = found?.first { return body(id) }
            session.finish(
                Ending(
                    outcome: .error(.notFound),
                    message: .text("--before: no such execution: \(part); rxctl history prints the ids"),
                    facts: ["name": "notFound"]))
        }
    }

    private func listExecutions(_ session: DaemonSession, before position: String?) {
        var selection = selection
        selection["before"] = position.map(JSONValue.string)
        let list = ListedExecutions(session, selection, limit: limit)
        var table = HistoryTable()
        var first: String?
        list.onRecords = { records, goOn in
            first = first ?? records.first?["execution"]?.string
            if tables.showsTable {
                session.print(lines: table.lines(records, at: StreamTable.now, width: TerminalWidth.ofTable))
            } else {
                for record in records { session.print(RawJSON(record)) }
            }
            goOn()
        }
        list.onEnd = { hasOlder in
            if hasOlder, let first { session.noteOlder(before: ShortID.position(first)) }
            session.finish()
        }
        list.onUnknown = { refusal in self.tryReactor(session, refusal) }
        list.start()
    }

    /// A name is not that of an action.
    private func tryReactor(_ session: DaemonSession, _ refusal: Connection.Reply) {
        let misuse: String? =
            if names.count > 1 {
                "is a reactor; list its history alone"
            } else if let optionOfActions {
                "is a reactor; \(optionOfActions) applies to actions only"
            } else if before != nil {
                "is a reactor; its --before takes a revision"
            } else {
                nil
            }
        guard let misuse else {
            return pastActions(session).start(orIfUnknown: refusal)
        }
        let name = refusal.unknownAction ?? names[0]
        session.link.call(.reactorDescribe, RawJSON(["reactor": .string(name)])) { reply in
            if case .success = reply { return session.finish(.usage("\(name) \(misuse)")) }
            session.succeed { _ in }(refusal)
        }
    }

    private var selection: JSONObject {
        var params: JSONObject = [:]
        switch names.count {
        case 0: break
        case 1: params["action"] = .string(names[0])
        default: params["action"] = .array(names.map(JSONValue.string))
        }
        params["state"] = state.map { .array($0.states.map(JSONValue.string)) }
        params["since"] = since.map { .string($0.timestamp.description) }
        params["until"] = until.map { .string($0.timestamp.description) }
        params["by"] = by?.parameter
        params["grep"] = grep.map(JSONValue.string)
        return params
    }

    private func pastActions(_ session: DaemonSession) -> PastActions {
        var params: JSONObject = [:]
        params["limit"] = limit.map { JSONValue($0) }
        if case .revision(let revision) = before { params["before"] = JSONValue(revision) }
        return PastActions(session, reactor: names[0], params, showsTable: tables.showsTable)
    }
}

extension DaemonSession {
    /// Remarks on a terminal that a list has left out older records.
    func noteOlder(before position: String) {
        guard StandardStreams.errorIsTerminal else { return }
        output.flush()
        StandardStreams.note("older records exist; list them with --before \(position)")
    }
}

extension Result<RawJSON, ClientError> {
    /// The name in the error `notFound` of an action.
    fileprivate var unknownAction: String? {
        guard case .failure(.refused(let error)) = self else { return nil }
        return error.data?.value()["action"]?.string
    }
}
