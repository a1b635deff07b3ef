internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct OutputCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "output",
        abstract: "Prints what is kept of an execution's output: its elements, or its stderr.",
        usage: "rxctl output [<options>] <execution-or-action>",
        discussion: """
            Prints the elements as they were yielded, one per line. Of a long output, the daemon keeps the start and \
            the end; a note on stderr reports in its place how much is missing. If the execution was interrupted, \
            because the daemon was killed, what came last may be missing, and a note reports that. For an action, \
            prints the output of its last execution that has started.

            With --follow, goes on until the execution ends, and exits with 0 if it completed, 1 if it failed, was \
            canceled, or was interrupted, and 124 if it timed out. Exits with 5 if no output is kept.
            """)

    @Flag(help: "Print what the work wrote to its stderr, unchanged.")
    var stderr = false

    @Flag(help: "Print the elements and the stderr, in the order of their arrival.")
    var all = false

    @Flag(name: .shortAndLong, help: "Go on until the execution ends.")
    var follow = false

    @Flag(help: "Print strings without their quotes.")
    var raw = false

    @Argument(
        help: ArgumentHelp("An execution's id, or an action's name.", valueName: "execution-or-action"),
        completion: .executionsAndActions)
    var target: String

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if target.isEmpty { throw ValidationError("The name is empty.") }
        if stderr, all { throw ValidationError("--stderr and --all exclude each other.") }
        if stderr, raw { throw ValidationError("--raw is about elements; --stderr prints none.") }
    }

    func run() throws {
        let style = PrintedOutput.Style(elements: !stderr, errors: stderr || all, raw: raw)
        try DaemonSession.run(options) { session in
            session.findExecution(target) { id in
                PrintedOutput(session, of: id, style).start(follow: follow)
            }
        }
    }
}

extension DaemonSession {
    /// Calls `body` with an execution's id: the target itself, or the last execution of the action that has started.
    /// Ends the command if there is none.
    func findExecution(_ target: String, then body: @escaping (String) -> Void) {
        names = NameArguments(.executions, [target]) { body($0[0]) }
        if let id = ExecutionArgument.id(target) { return body(id) }
        findLastExecution(of: target, then: body)
    }

    /// - Parameter place: the place that the daemon's last answer names; nil at first.
    private func findLastExecution(
        of action: String, before place: JSONValue? = nil, then body: @escaping (String) -> Void
    ) {
        var params: JSONObject = [
            "action": .string(action), "limit": JSONValue(OutputCommand.recordsSearched),
            "state": .array(OutputCommand.startedStates.map { .string($0) }),
        ]
        params["before"] = place
        call(.executionList, RawJSON(.object(params))) { [self] result in
            let page = result.value()
            let records = page["executions"]?.array ?? []
            // Some were canceled before they started.
            if let id = records.last(where: { $0["startedAt"]?.string != nil })?["execution"]?.string {
                return body(id)
            }
            guard page["truncated"]?.bool == true, let next = page["before"] else {
                return finish(.notKept("no execution of \(action) is kept", action: action))
            }
            findLastExecution(of: action, before: next, then: body)
        }
    }
}

extension OutputCommand {
    fileprivate static let startedStates = StateList.all.filter { $0 != "queued" }
    /// Records that are searched at a time for the last one that has started.
    fileprivate static let recordsSearched = 100
}

extension Ending {
    /// Nothing is kept of what was named.
    static func notKept(
        _ message: String, action: String? = nil, reactor: String? = nil, execution: String? = nil
    ) -> Ending {
        var facts: JSONObject = ["name": "notKept"]
        facts["action"] = action.map { .string($0) }
        facts["reactor"] = reactor.map { .string($0) }
        facts["execution"] = execution.map { .string($0) }
        return Ending(outcome: .error(.notFound), message: .text(message), facts: facts)
    }
}
