internal import ArgumentParser

struct DisableCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Switches an action off until `enable`: it refuses every input and says who, when and why.",
        discussion: "What is in flight goes on.")

    @OptionGroup var options: GlobalOptions

    @Option(help: ArgumentHelp("Why, told to everyone who is refused.", valueName: "text"))
    var reason: String?

    @Argument(help: "The action's name.", completion: .actions)
    var action: String

    func run() throws {
        try DaemonSession.run(options) { $0.setSwitch("action.disable", of: action, reason) }
    }
}
