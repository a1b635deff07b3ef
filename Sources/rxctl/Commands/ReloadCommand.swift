internal import ArgumentParser
internal import RxJSON
internal import RxProtocol

struct ReloadCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reloads the daemon's configuration, and prints what changed.",
        usage: "rxctl reload [<options>]",
        discussion: """
            A configuration with faults is refused as a whole, and the old one stays in force. Prints a table on a \
            terminal; otherwise, and with --json, a JSON object.
            """)

    @Flag(help: "Print what would change, without changing anything.")
    var dryRun = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.call(.serverReload, RawJSON(["dryRun": .bool(dryRun)])) { result in
                session.printFacts(result)
                session.finish()
            }
        }
    }
}
