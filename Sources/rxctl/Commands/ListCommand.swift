internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct ListCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the actions, or the reactors.",
        usage: "rxctl list [<options>]",
        discussion: "Prints a table on a terminal; otherwise, and with --json, one JSON object per line.")

    @Flag(help: "List the reactors instead of the actions.")
    var reactors = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let (method, member) = reactors ? (Method.reactorList, "reactors") : (Method.actionList, "actions")
        try DaemonSession.run(options) { session in
            session.call(method) { result in
                let all = result.value()[member]?.array ?? []
                if session.isForPrograms {
                    for one in all { session.print(RawJSON(one)) }
                } else {
                    let lines = reactors ? ListCommand.table(ofReactors: all) : ListCommand.table(of: all)
                    for line in lines { session.print(line) }
                }
                session.finish()
            }
        }
    }

    static func table(ofReactors reactors: [JSONValue]) -> [String] {
        Table.lines(
            [["REACTOR", "REVISION", "KEPT", "KIND", "DESCRIPTION"]]
                + reactors.map { reactor in
                    [
                        reactor["reactor"]?.string ?? "", reactor["revision"]?.int.map(String.init) ?? "",
                        reactor["durability"]?.string ?? "no", reactor["kind"]?.string ?? "",
                        reactor["description"]?.string ?? "",
                    ]
                })
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

    /// Whether it is executing; otherwise whether it is enabled, with the cause if it is not.
    private static func state(of action: JSONValue) -> String {
        if action["executing"]?.bool == true { return "executing" }
        if action["enabled"]?.bool == false { return "disabled: \(action["reason"]?["cause"]?.string ?? "")" }
        return "enabled"
    }
}
