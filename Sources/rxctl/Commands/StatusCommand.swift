internal import ArgumentParser
internal import RxJSON

struct StatusCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the daemon's figures.",
        discussion: "For people on a terminal; otherwise, and with --json, one JSON object.")

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call("server.status") { result in
                session.printFacts(result)
                session.finish()
            }
        }
    }
}
