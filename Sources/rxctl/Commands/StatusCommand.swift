internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct StatusCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Prints the daemon's status: its version, uptime, and counters.",
        usage: "rxctl status [<options>]",
        discussion: """
            Prints a table on a terminal; otherwise, and with --json, a JSON object. If there are streams, and \
            rxd.service is not enabled, so that they do not run after a boot, a remark on stderr reports that.
            """)

    @Flag(help: "Print what each connected user uses; users other than root see only themselves.")
    var users = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call(.serverStatus, users ? RawJSON(["users": true]) : nil) { result in
                if users { printUsers(result, session) } else { session.printFacts(result) }
                noteStreams(session)
            }
        }
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
        guard !session.isForPrograms else {
            for user in users { session.print(RawJSON(user)) }
            return
        }
        let keys = ["uid", "connections", "queuedBytes", "heldBytes", "keptBytes", "waitingRequests", "longLines"]
        let rows = users.map { user in keys.map { user[$0]?.int.map(String.init) ?? "" } }
        for line in Table.lines([["UID", "CONNECTIONS", "QUEUED", "HELD", "KEPT", "WAITING", "LINES"]] + rows) {
            session.print(line)
        }
    }
}
