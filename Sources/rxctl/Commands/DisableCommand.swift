internal import ArgumentParser
internal import RxProtocol

struct DisableCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Switches an action off: it refuses every input until `enable`.",
        usage: "rxctl disable [<options>] <action>",
        discussion: """
            Each refusal names who switched the action off, when, and why. Executions in flight go on; queued ones wait.
            """)

    @Option(help: ArgumentHelp("The reason, for each refusal.", valueName: "text"))
    var reason: String?

    @Argument(help: "The action's name.", completion: .actions)
    var action: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { $0.setSwitch(.actionDisable, of: action, reason) }
    }
}
