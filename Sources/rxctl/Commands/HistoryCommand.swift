internal import ArgumentParser
internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct HistoryCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Lists an action's executions, or a reactor's past actions, oldest first.",
        usage: "rxctl history [<options>] <name>",
        discussion: """
            Prints a table on a terminal; otherwise, and with --json, one record per line. To page backwards, give the \
            id of the first execution as --before; for a reactor, give the first revision. The daemon keeps as much as \
            its configuration states; older executions and revisions are gone.
            """)

    @Option(
        help: ArgumentHelp(
            "List only executions in these states, separated by commas.",
            discussion: StateList.all.joined(separator: ", "), valueName: "states"),
        completion: .list(StateList.all))
    var state: StateList?

    @Option(help: ArgumentHelp("List at most this many records, the newest ones.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("List only records older than this execution or revision.", valueName: "position"))
    var before: HistoryPosition?

    @Argument(
        help: ArgumentHelp("The name of the action or the reactor.", valueName: "name"),
        completion: .actionsAndReactors)
    var action: String

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if let limit, !(1...Limits.listed).contains(limit) {
            throw ValidationError("--limit must be 1 to \(Limits.listed).")
        }
        if case .revision = before, state != nil {
            throw ValidationError("--state selects executions, but --before \(before?.text ?? "") is a revision.")
        }
    }

    func run() throws {
        try DaemonSession.run(options) { session in
            switch before {
            // The options apply to one kind only.
            case .revision:
                session.call(
                    .reactorHistory, ofReactor, misused: .actionDescribe, ["action": .string(action)],
                    .usage("\(action) is an action; its --before takes an execution's id")
                ) { session.finishHistory($0) }
            case .execution:
                session.call(
                    .executionList, ofAction, misused: .reactorDescribe, ["reactor": .string(action)],
                    .usage("\(action) is a reactor; its --before takes a revision")
                ) { session.finishExecutions($0) }
            case nil where state != nil:
                session.call(
                    .executionList, ofAction, misused: .reactorDescribe, ["reactor": .string(action)],
                    .usage("\(action) is a reactor; --state applies to actions only")
                ) { session.finishExecutions($0) }
            case nil:
                session.call(
                    .executionList, RawJSON(.object(ofAction)), orElse: .reactorHistory,
                    RawJSON(.object(ofReactor))
                ) { result in
                    if result.value()["history"] != nil {
                        session.finishHistory(result)
                    } else {
                        session.finishExecutions(result)
                    }
                }
            }
        }
    }

    private var ofAction: JSONObject {
        var params: JSONObject = ["action": .string(action)]
        params["state"] = state.map { .array($0.states.map(JSONValue.string)) }
        params["limit"] = limit.map { JSONValue($0) }
        params["before"] = before.map { .string($0.text) }
        return params
    }

    private var ofReactor: JSONObject {
        var params: JSONObject = ["reactor": .string(action)]
        params["limit"] = limit.map { JSONValue($0) }
        if case .revision(let revision) = before { params["before"] = JSONValue(revision) }
        return params
    }
}

extension DaemonSession {
    /// Sends a request. If the name is not found, but `other` finds it, the command ends with `misuse`.
    fileprivate func call(
        _ method: Method, _ params: JSONObject, misused other: Method, _ otherParams: JSONObject, _ misuse: Ending,
        then body: @escaping (RawJSON) -> Void
    ) {
        link.call(method, RawJSON(.object(params))) { [self] reply in
            guard reply.isNotFound else { return succeed(body)(reply) }
            link.call(other, RawJSON(.object(otherParams))) { second in
                if case .success = second { self.finish(misuse) } else { self.succeed(body)(reply) }
            }
        }
    }

    /// Prints an action's executions.
    fileprivate func finishExecutions(_ result: RawJSON) {
        let answer = result.value()
        let records = answer["executions"]?.array ?? []
        if isForPrograms {
            for record in records { print(RawJSON(record)) }
        } else {
            for line in HistoryTable.lines(records) { print(line) }
        }
        if answer["truncated"]?.bool == true, StandardStreams.errorIsTerminal,
            let first = records.first?["execution"]?.string
        {
            StandardStreams.note("older records exist; list them with --before \(first)")
        }
        finish()
    }

    /// Prints a reactor's past actions.
    fileprivate func finishHistory(_ result: RawJSON) {
        let answer = result.value()
        let steps = answer["history"]?.array ?? []
        for step in steps { print(RawJSON(step)) }
        if answer["truncated"]?.bool == true, StandardStreams.errorIsTerminal,
            let first = steps.first?["revision"]?.int
        {
            StandardStreams.note("older records exist; list them with --before \(first)")
        }
        finish()
    }
}
