internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct WaitCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Waits for the end of an execution, until an action is idle, or for an event.",
        usage: "rxctl wait [<options>] <target>",
        discussion: """
            For an execution's id: prints its record and exits with 0 if it completed, 1 if it failed, was canceled, \
            or was interrupted, and 124 if it timed out. For an action: prints nothing, and exits when no execution is \
            in flight or queued.

            With --for: prints the first record for which the expression holds. It is applied to the present state \
            first, as records {"channel":"executing","action":…,"value":true}, {"channel":"enabled",…}, and for an \
            execution {"channel":"executions",…}; then to the records of `subscribe` on all channels. Exits with 1 \
            if an execution ends without such a record.
            """)

    @Option(
        help: ArgumentHelp("Exit with 124 after this time.", valueName: "duration"),
        transform: { try DurationArgument.parse($0) })
    var timeout: DurationArgument?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Wait for a record for which this jq expression yields something other than false and null.",
            valueName: "expr"),
        transform: { try RecordCondition($0) })
    var condition: RecordCondition?

    @Argument(help: "An execution's id, or an action's name.", completion: .executionsAndActions)
    var target: String

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if target.isEmpty { throw ValidationError("The name is empty.") }
    }

    func run() throws {
        if let condition {
            try DaemonSession.run(options, reconnecting: .forever) { session in
                func start(_ target: String) {
                    let id = ExecutionArgument.id(target)
                    AwaitedCondition(session, condition, of: id.map { .execution([$0]) } ?? .action([target]))
                        .start()
                }
                session.names = NameArguments(.subscribe, [target]) { start($0[0]) }
                start(target)
                if let timeout { session.timeOut(after: timeout) }
            }
        } else {
            try waitForEnd()
        }
    }

    private func waitForEnd() throws(Ending) {
        try DaemonSession.run(options) { session in
            session.names = NameArguments(.executions, [target]) { waitForEnd(of: $0[0], session) }
            waitForEnd(of: target, session)
        }
    }

    private func waitForEnd(of target: String, _ session: DaemonSession) {
        let id = ExecutionArgument.id(target)
        session.call(.executionWait, params(id == nil ? "action" : "execution", id ?? target)) { result in
            guard id != nil else {
                if options.json { session.print(result) }
                return session.finish()
            }
            session.printFacts(result)
            session.finish(WaitCommand.ending(of: result.value()))
        }
    }

    private func params(_ key: String, _ value: String) -> RawJSON {
        var params: JSONObject = [key: .string(value)]
        params["timeout"] = (timeout?.text).map(JSONValue.string)
        return RawJSON(.object(params))
    }

    /// The exit status for the end of an execution; the record is the message.
    static func ending(of record: JSONValue) -> Ending {
        switch record["state"]?.string {
        case "completed": .done
        case "timedOut": Ending(outcome: .ended(.timedOut))
        case "cancelled": Ending(outcome: .ended(.cancelled))
        case _: Ending(outcome: .ended(.failed))
        }
    }
}
