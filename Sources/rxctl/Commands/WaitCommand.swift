internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct WaitCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract:
            "Waits for the end of an execution, until nothing of an action is in flight, or for what is described.",
        discussion: """
            An execution, known by its id: prints its record and exits by its end: 0 completed, 1 failed, cancelled or \
            interrupted, 124 timed out. An action: prints nothing.

            With --for: prints the first record that the expression holds for. It sees the records of subscribe, all \
            channels, and before them how things are: {"channel":"executing","action":…,"value":true}, \
            {"channel":"enabled",…}, of an execution {"channel":"executions",…}. An execution that ends without such a record: 1.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: ArgumentHelp("Wait no longer, and leave with exit code 124.", valueName: "duration"))
    var timeout: DurationArgument?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Wait for a record for which this jq expression yields something else than false and null.",
            valueName: "expr"),
        transform: { try RecordCondition($0) })
    var condition: RecordCondition?

    @Argument(help: "The execution's id, or the action's name.", completion: .executionsAndActions)
    var target: String

    func validate() throws {
        if target.isEmpty { throw ValidationError("the name is empty.") }
    }

    func run() throws {
        if let condition {
            try DaemonSession.run(options, reconnecting: .forever) { session in
                let id = ExecutionArgument.id(target)
                AwaitedCondition(session, condition, of: id.map { .executions([$0]) } ?? .actions([target])).start()
                if let timeout { session.timeOut(after: timeout) }
            }
        } else {
            try waitForEnd()
        }
    }

    private func waitForEnd() throws(Ending) {
        let id = ExecutionArgument.id(target)
        var params: JSONObject = id.map { ["execution": .string($0)] } ?? ["action": .string(target)]
        params["timeout"] = (timeout?.text).map(JSONValue.string)
        try DaemonSession.run(options) { session in
            session.call("execution.wait", RawJSON(.object(params))) { result in
                guard id != nil else {
                    if options.json { session.print(result) }
                    return session.finish()
                }
                session.printFacts(result)
                session.finish(WaitCommand.ending(of: result.value()))
            }
        }
    }

    /// What the end of an execution means for whoever waited for it. The record has said why.
    static func ending(of record: JSONValue) -> Ending {
        switch record["state"]?.string {
        case "completed": .done
        case "timedOut": Ending(outcome: .ended(.timedOut))
        case "cancelled": Ending(outcome: .ended(.cancelled))
        case _: Ending(outcome: .ended(.failed))
        }
    }
}
