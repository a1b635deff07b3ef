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
        let revision = before.flatMap(Int.init)
        other["before"] = revision.map { JSONValue($0) }
        let ways = [("execution.list", RawJSON(.object(params))), ("reactor.history", RawJSON(.object(other)))]
        // No execution's id is a number: that would be refused before anyone looks for the name.
        let (first, second) = revision == nil ? (ways[0], ways[1]) : (ways[1], ways[0])
        try DaemonSession.run(options) { session in
            session.call(first.0, first.1, orElse: second.0, second.1) { result in
                let answer = result.value()
                if let steps = answer["history"]?.array {
                    for step in steps { session.print(RawJSON(step)) }
                    return session.finish()
                }
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

/// `--state a,b`
struct StateList: ExpressibleByArgument {
    static let all = ["queued", "executing", "completed", "failed", "cancelled", "timedOut", "interrupted"]

    let states: [String]

    init?(argument: String) {
        states = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard states.allSatisfy(StateList.all.contains) else { return nil }
    }
}
