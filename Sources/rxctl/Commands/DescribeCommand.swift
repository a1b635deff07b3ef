internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct DescribeCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Describes an action or a reactor.",
        usage: "rxctl describe [<options>] <name>",
        discussion: "Prints a table on a terminal; otherwise, and with --json, a JSON object.")

    @Argument(help: "The name of the action or the reactor.", completion: .actionsAndReactors)
    var name: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call(
                .actionDescribe, RawJSON(["action": .string(name)]),
                orElse: .reactorDescribe, RawJSON(["reactor": .string(name)])
            ) { result in
                session.printFacts(result)
                session.finish()
            }
        }
    }
}
