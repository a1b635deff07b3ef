internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct CancelCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels an execution for all its requesters, and prints its record when it has ended.",
        usage: "rxctl cancel [<options>] <execution>")

    @Option(help: ArgumentHelp("Time between SIGTERM and SIGKILL, instead of the action's own.", valueName: "duration"))
    var grace: DurationArgument?

    @Argument(help: "The execution's id.", completion: .executions)
    var execution: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        var params: JSONObject = ["execution": .string(execution)]
        params["grace"] = (grace?.text).map(JSONValue.string)
        try DaemonSession.run(options) { session in
            session.call(.executionCancel, RawJSON(.object(params))) { record in
                session.printFacts(record)
                session.finish()
            }
        }
    }
}
