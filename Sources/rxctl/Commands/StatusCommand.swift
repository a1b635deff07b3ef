internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct StatusCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Prints the daemon's status: its version, uptime, and counters.",
        usage: "rxctl status [<options>]",
        discussion: "Prints a table on a terminal; otherwise, and with --json, a JSON object.")

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call(.serverStatus) { result in
                session.printFacts(result)
                session.finish()
            }
        }
    }
}
