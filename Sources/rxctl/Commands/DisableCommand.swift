internal import ArgumentParser
internal import RxProtocol

struct DisableCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Switches an action or a stream off until `enable`.",
        usage: "rxctl disable [<options>] <name>",
        discussion: """
            An action refuses every input, and each refusal names who switched it off, when, and why. Executions in \
            flight go on; queued ones wait. A stream stops its sources; its steps keep their state.
            """)

    @Option(help: ArgumentHelp("The reason, for each refusal.", valueName: "text"))
    var reason: String?

    @Argument(help: "The name of an action or a stream.", completion: .actionsAndStreams)
    var name: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { $0.setSwitch([.actionDisable, .streamDisable], of: name, reason) }
    }
}
