internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct ListCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the actions, the reactors, or the streams.",
        usage: "rxctl list [<options>]",
        discussion: """
            Prints a table on a terminal; otherwise, and with --json, one JSON object per line. To see it change: \
            watch rxctl list --format table
            """)

    @Flag(help: "List the reactors instead of the actions.")
    var reactors = false

    @Flag(help: "List the streams: what starts on its own, and when.")
    var streams = false

    @OptionGroup var tables: TableOptions

    var options: GlobalOptions { tables.options }

    func validate() throws {
        if reactors, streams { throw ValidationError("--reactors and --streams exclude each other") }
    }

    func run() throws {
        try DaemonSession.run(options) { session in
            guard tables.showsTable else { return printObjects(session) }
            if streams {
                // The graph has why the actions that streams start are disabled.
                session.call(.streamList, RawJSON(["graph": true])) { reply in
                    finish(session, StreamTable.lines(of: reply.value(), at: StreamTable.now, width: width))
                }
            } else if reactors {
                session.call(.reactorList) { reply in
                    finish(session, ReactorTable.lines(of: reply.value()["reactors"]?.array ?? [], width: width))
                }
            } else {
                session.call(.actionList) { printActions($0.value()["actions"]?.array ?? [], session) }
            }
        }
    }

    private var width: Int { TerminalWidth.ofTable }

    private func printObjects(_ session: DaemonSession) {
        let (method, member) =
            if streams { (Method.streamList, "streams") } else if reactors { (Method.reactorList, "reactors") } else {
                (Method.actionList, "actions")
            }
        session.call(method) { result in
            for one in result.value()[member]?.array ?? [] { session.print(RawJSON(one)) }
            session.finish()
        }
    }

    /// Adds what is executing, and since when: the list of actions has neither the number nor the time.
    private func printActions(_ actions: [JSONValue], _ session: DaemonSession) {
        func finish(_ executing: [JSONValue]) {
            let table = ActionTable(actions, executing: executing)
            self.finish(session, table.lines(at: StreamTable.now, width: width))
        }
        guard actions.contains(where: { $0["executing"]?.bool == true }) else { return finish([]) }
        var executing: [JSONValue] = []
        let list = ListedExecutions(session, ["state": ["executing"]], limit: nil)
        list.onRecords = { records, goOn in
            executing += records
            goOn()
        }
        list.onEnd = { _ in finish(executing) }
        list.start()
    }

    private func finish(_ session: DaemonSession, _ lines: [String]) {
        session.print(lines: lines)
        session.finish()
    }
}
