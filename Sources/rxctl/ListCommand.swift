internal import ArgumentParser
internal import RxJSON

struct ListCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the actions.",
        discussion: "A table on a terminal; otherwise, and with --json, one JSON object a line.")

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call("action.list") { result in
                let actions = result.value()["actions"]?.array ?? []
                if session.isForPrograms {
                    for action in actions { session.print(RawJSON(action)) }
                } else {
                    for line in ListCommand.table(of: actions) { session.print(line) }
                }
                session.finish()
            }
        }
    }

    static func table(of actions: [JSONValue]) -> [String] {
        Table.lines(
            [["ACTION", "STATE", "OVERLAP", "KIND", "DESCRIPTION"]]
                + actions.map { action in
                    [
                        action["action"]?.string ?? "", state(of: action), action["overlap"]?.string ?? "",
                        action["kind"]?.string ?? "", action["description"]?.string ?? "",
                    ]
                })
    }

    /// What it does, else whether it may and what is against it.
    private static func state(of action: JSONValue) -> String {
        if action["executing"]?.bool == true { return "executing" }
        if action["enabled"]?.bool == false { return "disabled: \(action["reason"]?["cause"]?.string ?? "")" }
        return "enabled"
    }
}
