internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct StatusCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Prints the daemon's status: its version, uptime, and counters.",
        usage: "rxctl status [<options>]",
        discussion: "Prints a table on a terminal; otherwise, and with --json, a JSON object.")

    @Flag(help: "Print what each connected user uses; users other than root see only themselves.")
    var users = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call(.serverStatus, users ? RawJSON(["users": true]) : nil) { result in
                if users { printUsers(result, session) } else { session.printFacts(result) }
                session.finish()
            }
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
