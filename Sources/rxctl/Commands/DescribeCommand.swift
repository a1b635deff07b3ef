internal import ArgumentParser
internal import RxJSON

struct DescribeCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Describes an action or a reactor.",
        discussion: "For people on a terminal; otherwise, and with --json, one JSON object.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "Its name.", completion: .actionsAndReactors)
    var name: String

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call(
                "action.describe", RawJSON(["action": .string(name)]),
                orElse: "reactor.describe", RawJSON(["reactor": .string(name)])
            ) { result in
                session.printFacts(result)
                session.finish()
            }
        }
    }
}
