internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct ListCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the actions, the reactors, or the streams.",
        usage: "rxctl list [<options>]",
        discussion: "Prints a table on a terminal; otherwise, and with --json, one JSON object per line.")

    @Flag(help: "List the reactors instead of the actions.")
    var reactors = false

    @Flag(help: "List the streams: what starts on its own, and when.")
    var streams = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if reactors, streams { throw ValidationError("--reactors and --streams exclude each other") }
    }

    func run() throws {
        let (method, member) =
            if streams { (Method.streamList, "streams") } else if reactors { (Method.reactorList, "reactors") } else {
                (Method.actionList, "actions")
            }
        try DaemonSession.run(options) { session in
            session.call(method) { result in
                let all = result.value()[member]?.array ?? []
                if session.isForPrograms {
                    for one in all { session.print(RawJSON(one)) }
                } else {
                    let lines =
                        if streams { StreamTable.lines(of: all, at: StreamTable.now) } else if reactors {
                            ListCommand.table(ofReactors: all)
                        } else { ListCommand.table(of: all) }
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
        let hasTimes = actions.contains { $0["next"]?.string != nil }
        return Table.lines(
            [["ACTION", "STATE"] + (hasTimes ? ["NEXT"] : []) + ["OVERLAP", "KIND", "DESCRIPTION"]]
                + actions.map { action in
                    [action["action"]?.string ?? "", state(of: action)]
                        + (hasTimes ? [action["next"]?.string ?? ""] : [])
                        + [
                            action["overlap"]?.string ?? "", action["kind"]?.string ?? "",
                            action["description"]?.string ?? "",
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
