internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct StatusCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Prints the daemon's status: its version, uptime, and what is in flight.",
        usage: "rxctl status [<options>]",
        discussion: """
            Prints a few lines on a terminal; otherwise, and with --json, a JSON object. If there are streams, and \
            rxd.service is not enabled, so that they do not run after a boot, a remark on stderr reports that.
            """)

    @Flag(help: "Print what each connected user uses; users other than root see only themselves.")
    var users = false

    @OptionGroup var tables: TableOptions

    var options: GlobalOptions { tables.options }

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call(.serverStatus, users ? RawJSON(["users": true]) : nil) { result in
                if users {
                    printUsers(result, session)
                } else if tables.showsTable {
                    return printOverview(result, session)
                } else {
                    session.print(result)
                }
                noteStreams(session)
            }
        }
    }

    /// Adds what the lists have. Without the right to one, or for an older daemon, its line is left out.
    private func printOverview(_ status: RawJSON, _ session: DaemonSession) {
        var lists: [NamedKind: [JSONValue]] = [:]
        var kinds = NamedKind.allCases[...]
        func next() {
            guard let kind = kinds.popFirst() else {
                let text = StatusText(
                    status.value(), actions: lists[.action], reactors: lists[.reactor], streams: lists[.stream])
                session.print(lines: text.lines(at: StreamTable.now, width: TerminalWidth.ofTable))
                return noteStreams(session)
            }
            guard let method = kind.list else { return next() }
            session.link.call(method, nil) { reply in
                if case .success(let result) = reply { lists[kind] = result.value()["\(kind.rawValue)s"]?.array }
                next()
            }
        }
        next()
    }

    /// Remarks on stderr if there are streams that nothing starts at boot, and ends the command.
    private func noteStreams(_ session: DaemonSession) {
        guard let note = BootNote.text(socket: SocketPath.resolve(option: options.socket)) else {
            return session.finish()
        }
        session.link.call(.streamList, nil) { reply in
            // A daemon of an earlier release has none.
            if case .success(let result) = reply, result.value()["streams"]?.array?.isEmpty == false {
                session.note(note)
            }
            session.finish()
        }
    }

    private func printUsers(_ result: RawJSON, _ session: DaemonSession) {
        let users = result.value()["users"]?.array ?? []
        guard tables.showsTable else {
            for user in users { session.print(RawJSON(user)) }
            return
        }
        let columns = [
            ("UID", "uid"), ("CONNECTIONS", "connections"), ("QUEUED", "queuedBytes"), ("HELD", "heldBytes"),
            ("KEPT", "keptBytes"), ("WAITING", "waitingRequests"), ("LINES", "longLines"),
            ("READS", "storeReads"),
        ]
        var table = Table(
            columns.map { title, key in
                TableColumn(title, key == "uid" ? .required : .optional(1), alignsRight: true, showsEmpty: true)
            })
        let rows = users.map { user in columns.map { TableCell(user[$0.1]?.int.map(String.init) ?? "") } }
        session.print(lines: table.lines(rows, width: TerminalWidth.ofTable))
    }
}
