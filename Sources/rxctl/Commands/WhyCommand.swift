internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct WhyCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Prints whether an action is enabled, and the reason if it is not.",
        usage: "rxctl why [<options>] <action>",
        discussion: """
            Prints a sentence on a terminal; otherwise, and with --json, a JSON object. The exit status is 0 in both \
            cases; use `check` in conditions.
            """)

    @Argument(help: "The action's name.", completion: .actions)
    var action: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call(.actionDescribe, RawJSON(["action": .string(action)])) { result in
                session.printEnabled(result, of: action)
                session.finish()
            }
        }
    }
}
