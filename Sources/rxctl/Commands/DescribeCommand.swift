internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct DescribeCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Describes an action, a reactor, or a stream.",
        usage: "rxctl describe [<options>] <name>",
        discussion: "Prints a table on a terminal; otherwise, and with --json, a JSON object.")

    @Argument(help: "The name of the action, the reactor, or the stream.", completion: .names)
    var name: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call(firstOf: [
                (.actionDescribe, RawJSON(["action": .string(name)])),
                (.reactorDescribe, RawJSON(["reactor": .string(name)])),
                (.streamDescribe, RawJSON(["stream": .string(name)])),
            ]) { result, _ in
                session.printFacts(result)
                session.finish()
            }
        }
    }
}
