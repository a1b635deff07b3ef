internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct CancelCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels an execution for all its requesters, or all executions of an action.",
        usage: "rxctl cancel [<options>] <execution-or-action>",
        discussion: """
            For an execution, given by its id, by how its id begins, or by the last 6 or more characters: prints its \
            record when it has ended. For an action: cancels all of its executions that you may cancel, those that \
            are queued or wait for their time included, and prints their ids when they have ended, one per line; \
            with --json, {"action":…,"executions":[…]}.
            """)

    @Option(
        help: ArgumentHelp("Time between SIGTERM and SIGKILL, instead of the action's own.", valueName: "duration"),
        transform: { try DurationArgument.parse($0) })
    var grace: DurationArgument?

    @Argument(
        help: ArgumentHelp("An execution's id, or an action's name.", valueName: "execution-or-action"),
        completion: .executionsAndActions)
    var target: String

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if target.isEmpty { throw ValidationError("The name is empty.") }
    }

    func run() throws {
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.executions, [target]) { cancel($0[0], session) }
            cancel(target, session)
        }
    }

    private func cancel(_ target: String, _ session: DaemonSession) {
        guard let id = ExecutionArgument.id(target) else { return cancelAll(of: target, session, found: 0) }
        session.call(.executionCancel, params("execution", id)) { record in
            session.printFacts(record)
            session.finish()
        }
    }

    /// Cancels the executions of an action, as many at once as the daemon takes.
    ///
    /// - Parameter found: how many have been canceled already.
    private func cancelAll(of action: String, _ session: DaemonSession, found: Int) {
        session.call(.actionCancel, params("action", action)) { result in
            let ids = (result.value()["executions"]?.array ?? []).compactMap(\.string)
            if options.json {
                session.print(result)
            } else {
                for id in ids { session.print(id) }
            }
            if result.value()["truncated"]?.bool == true {
                return cancelAll(of: action, session, found: found + ids.count)
            }
            if found + ids.count == 0 { session.note("\(action) has no executions in flight") }
            session.finish()
        }
    }

    private func params(_ key: String, _ value: String) -> RawJSON {
        var params: JSONObject = [key: .string(value)]
        params["grace"] = (grace?.text).map(JSONValue.string)
        return RawJSON(.object(params))
    }
}
