internal import ArgumentParser
internal import RxJSON

struct HistoryCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Lists an action's executions, or what led to a reactor's states, oldest first.",
        discussion: """
            A table on a terminal; otherwise, and with --json, one record a line. For the page before, give the first \
            execution's id as --before; of a reactor, the first revision.
            """)

    /// What the daemon gives at most.
    private static let mostRecords = 10_000

    @OptionGroup var options: GlobalOptions

    @Option(
        help: ArgumentHelp(
            "Only those in these states, separated by commas.",
            discussion: StateList.all.joined(separator: ", "), valueName: "states"),
        completion: .list(StateList.all))
    var state: StateList?

    @Option(help: ArgumentHelp("At most that many, the newest ones.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("Only what is older than this execution, or this revision.", valueName: "execution"))
    var before: String?

    @Argument(help: "The action's or the reactor's name.", completion: .actionsAndReactors)
    var action: String

    func validate() throws {
        if let limit, !(1...HistoryCommand.mostRecords).contains(limit) {
            throw ValidationError("--limit must be 1 to \(HistoryCommand.mostRecords).")
        }
    }

    func run() throws {
        var params: JSONObject = ["action": .string(action)]
        params["state"] = state.map { .array($0.states.map(JSONValue.string)) }
        params["limit"] = limit.map { JSONValue($0) }
        params["before"] = before.map(JSONValue.string)
        var other: JSONObject = ["reactor": .string(action)]
        other["limit"] = params["limit"]
        other["before"] = before.flatMap(Int.init).map { JSONValue($0) }
        // A revision is no execution's id.
        if other["before"] != nil {
            return try DaemonSession.run(options) { session in
                session.call("reactor.history", RawJSON(.object(other))) { session.finishHistory($0) }
            }
        }
        try DaemonSession.run(options) { session in
            session.call(
                "execution.list", RawJSON(.object(params)), orElse: "reactor.history", RawJSON(.object(other))
            ) { result in
                let answer = result.value()
                if answer["history"] != nil { return session.finishHistory(result) }
                let records = answer["executions"]?.array ?? []
                if session.isForPrograms {
                    for record in records { session.print(RawJSON(record)) }
                } else {
                    for line in HistoryTable.lines(records) { session.print(line) }
                }
                if answer["truncated"]?.bool == true, StandardStreams.errorIsTerminal,
                    let first = records.first?["execution"]?.string
                {
                    StandardStreams.note("there are older ones: --before \(first)")
                }
                session.finish()
            }
        }
    }
}

extension DaemonSession {
    /// Prints what led to a reactor's states.
    fileprivate func finishHistory(_ result: RawJSON) {
        let answer = result.value()
        let steps = answer["history"]?.array ?? []
        for step in steps { print(RawJSON(step)) }
        if answer["truncated"]?.bool == true, StandardStreams.errorIsTerminal,
            let first = steps.first?["revision"]?.int
        {
            StandardStreams.note("there are older ones: --before \(first)")
        }
        finish()
    }
}

/// `--state a,b`
struct StateList: ExpressibleByArgument {
    static let all = ["queued", "executing", "completed", "failed", "cancelled", "timedOut", "interrupted"]

    let states: [String]

    init?(argument: String) {
        states = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard states.allSatisfy(StateList.all.contains) else { return nil }
    }
}
