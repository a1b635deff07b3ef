internal import ArgumentParser
internal import RxJSON

struct CancelCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels an execution, whoever asked for it, and prints its record when it has ended.")

    @OptionGroup var options: GlobalOptions

    @Option(help: ArgumentHelp("How long its processes may take to stop by themselves.", valueName: "duration"))
    var grace: DurationArgument?

    @Argument(help: "The execution's id.", completion: .executions)
    var execution: String

    func run() throws {
        var params: JSONObject = ["execution": .string(execution)]
        params["grace"] = (grace?.text).map(JSONValue.string)
        try DaemonSession.run(options) { session in
            session.call("execution.cancel", RawJSON(.object(params))) { record in
                session.printFacts(record)
                session.finish()
            }
        }
    }
}
