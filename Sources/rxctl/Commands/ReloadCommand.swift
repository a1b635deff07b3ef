internal import ArgumentParser
internal import RxJSON

struct ReloadCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Has the daemon read its configuration again, and tells what that changed.",
        discussion: """
            A configuration with faults is refused as a whole, and the old one holds. For people on a terminal; otherwise, \
            and with --json, one JSON object.
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Tell what would change, and change nothing.")
    var dryRun = false

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call("server.reload", RawJSON(["dryRun": .bool(dryRun)])) { result in
                session.printFacts(result)
                session.finish()
            }
        }
    }
}
