internal import ArgumentParser
internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

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
    var before: HistoryPosition?

    @Argument(help: "The action's or the reactor's name.", completion: .actionsAndReactors)
    var action: String

    func validate() throws {
        if let limit, !(1...HistoryCommand.mostRecords).contains(limit) {
            throw ValidationError("--limit must be 1 to \(HistoryCommand.mostRecords).")
        }
        if case .revision = before, state != nil {
            throw ValidationError("--state tells executions apart, and --before \(before?.text ?? "") is a revision.")
        }
    }

    func run() throws {
        try DaemonSession.run(options) { session in
            switch before {
            // Only one of the kinds can be meant: of the other, an option would have no meaning.
            case .revision:
                session.call(
                    "reactor.history", ofReactor, misused: "action.describe", ["action": .string(action)],
                    .usage("\(action) is an action: its --before is an execution's id")
                ) { session.finishHistory($0) }
            case .execution:
                session.call(
                    "execution.list", ofAction, misused: "reactor.describe", ["reactor": .string(action)],
                    .usage("\(action) is a reactor: its --before is a revision")
                ) { session.finishExecutions($0) }
            case nil where state != nil:
                session.call(
                    "execution.list", ofAction, misused: "reactor.describe", ["reactor": .string(action)],
                    .usage("\(action) is a reactor: --state tells executions of actions apart")
                ) { session.finishExecutions($0) }
            case nil:
                session.call(
                    "execution.list", RawJSON(.object(ofAction)), orElse: "reactor.history",
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

/// `--before 42` or `--before 0198…`: what else it could be is told at once.
enum HistoryPosition: ExpressibleByArgument {
    case revision(Int)
    case execution(String)

    init?(argument: String) {
        if let revision = Int(argument), revision >= 0 {
            self = .revision(revision)
        } else if let id = ExecutionArgument.id(argument) {
            self = .execution(id)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .revision(let revision): String(revision)
        case .execution(let id): id
        }
    }
}

extension DaemonSession {
    /// As `call`; but what is not found is asked for with `other`, and being found there it was misused.
    fileprivate func call(
        _ method: String, _ params: JSONObject, misused other: String, _ otherParams: JSONObject, _ misuse: Ending,
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
            StandardStreams.note("there are older ones: --before \(first)")
        }
        finish()
    }

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
