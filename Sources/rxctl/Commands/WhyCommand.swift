internal import ArgumentParser
internal import RxJSON

struct WhyCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Says whether an action is enabled, and if not, what is against it.",
        discussion: """
            A sentence on a terminal; otherwise, and with --json, one JSON object. The exit status is 0 either way: \
            `check` is the one to branch on.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The action's name.", completion: .actions)
    var action: String

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call("action.describe", RawJSON(["action": .string(action)])) { result in
                session.printEnabled(result, of: action)
                session.finish()
            }
        }
    }
}
