internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct WhyCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Prints why an action is disabled, or what led to an execution.",
        usage: "rxctl why [<options>] <target>",
        discussion: """
            For an action: whether it is enabled, and the reason if it is not; use `check` in conditions. For an \
            execution's id: its chain of causes, the nearest first and the origin last, such as a rule of a reactor \
            and the user who dispatched to it.

            Prints text on a terminal; otherwise, and with --json, a JSON object. The exit status is 0 in all these \
            cases.
            """)

    @Argument(help: "An action's name, or an execution's id.", completion: .executionsAndActions)
    var target: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            if let id = ExecutionArgument.id(target) {
                session.call(.executionGet, RawJSON(["execution": .string(id)])) { record in
                    session.printCauses(of: record)
                    session.finish()
                }
            } else {
                session.call(.actionDescribe, RawJSON(["action": .string(target)])) { result in
                    session.printEnabled(result, of: target)
                    session.finish()
                }
            }
        }
    }
}
