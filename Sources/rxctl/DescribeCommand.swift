internal import ArgumentParser
internal import RxJSON

struct DescribeCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Describes an action.",
        discussion: "For people on a terminal; otherwise, and with --json, one JSON object.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The action's name.", completion: .actions)
    var name: String

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call("action.describe", RawJSON(["action": .string(name)])) { result in
                session.printFacts(result)
                session.finish()
            }
        }
    }
}
