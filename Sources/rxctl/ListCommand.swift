internal import ArgumentParser
internal import RxClient
internal import RxJSON

struct ListCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the actions and the reactors.",
        discussion: "A table on a terminal; otherwise, and with --json, one JSON object a line.")

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call("action.list") { result in
                let actions = result.value()["actions"]?.array ?? []
                session.connection.call("reactor.list") { reply in
                    // A daemon before reactors has none.
                    let reactors = (try? reply.get().value()["reactors"]?.array) ?? []
                    if session.isForPrograms {
                        for one in actions + reactors { session.print(RawJSON(one)) }
                    } else {
                        for line in ListCommand.table(of: actions, reactors) { session.print(line) }
                    }
                    session.finish()
                }
            }
        }
    }

    static func table(of actions: [JSONValue], _ reactors: [JSONValue] = []) -> [String] {
        let ofActions = table(of: actions)
        guard !reactors.isEmpty else { return ofActions }
        return (actions.isEmpty ? [] : ofActions + [""])
            + Table.lines(
                [["REACTOR", "REVISION", "KEPT", "KIND", "DESCRIPTION"]]
                    + reactors.map { reactor in
                        [
                            reactor["reactor"]?.string ?? "", reactor["revision"]?.int.map(String.init) ?? "",
                            reactor["durability"]?.string ?? "no", reactor["kind"]?.string ?? "",
                            reactor["description"]?.string ?? "",
                        ]
                    })
    }

    private static func table(of actions: [JSONValue]) -> [String] {
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
