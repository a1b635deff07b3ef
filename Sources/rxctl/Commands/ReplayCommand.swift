internal import ArgumentParser

struct ReplayCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replays a reactor's stored actions under another configuration, and compares the states.",
        usage: "rxctl replay [<options>] --against <dir> <reactor>",
        discussion: """
            Runs `rxd --replay`, which reads the daemon's stored history, also while the daemon is running, and \
            applies the rules and the reducer of the other configuration to its actions. Nothing is executed: the \
            results of executions and merged streams come from the history, and so do the mutations of compiled-in \
            reactors.

            Prints a line for each of the first ten differences, \
            {"revision":…,"action":…,"mutations":…,"patch":…,"error":…}, then a summary. \
            The patch leads from the stored state to the replayed one.

            Exit status:
              0   all states are the same
              1   some states differ
              4   permission to read the database is denied
              5   no history of the reactor is stored
              74  the database cannot be read
              78  the configuration has faults
            """)

    @Option(
        help: ArgumentHelp("The other configuration: rxd.toml and conf.d/*.toml.", valueName: "dir"),
        completion: .directory)
    var against: String

    @Option(
        help: ArgumentHelp(
            "The directory of the daemon's state.",
            discussion: """
                Default: what the daemon on the socket reports, or, if the user's own daemon is not running, that of \
                `rxd --user`. For the system's socket: $STATE_DIRECTORY, else /var/lib/rxd.
                """,
            valueName: "dir"),
        completion: .directory)
    var state: String?

    @Option(help: ArgumentHelp("Begin with this revision's state instead of the oldest.", valueName: "revision"))
    var from: UInt64?

    @Option(help: ArgumentHelp("End with this revision instead of the newest.", valueName: "revision"))
    var to: UInt64?

    @Flag(help: "Print all differences.")
    var all = false

    @Flag(help: "Only reduce the stored mutations again; for rules that depend on the time.")
    var mutations = false

    @Flag(help: "Continue from the stored state after a difference, to judge each step alone.")
    var each = false

    @Argument(help: "The reactor's name.", completion: .reactors)
    var reactor: String

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if let from, let to, from > to { throw ValidationError("--from is greater than --to.") }
    }

    func run() throws { try OtherProgram.becomeDaemon(arguments, in: .state, state, options) }

    var arguments: [String] {
        var words = ["--replay=\(reactor)", "--config=\(against)"]
        words += state.map { ["--state=\($0)"] } ?? []
        words += from.map { ["--from=\($0)"] } ?? []
        words += to.map { ["--to=\($0)"] } ?? []
        for (flag, isSet) in [("all", all), ("mutations", mutations), ("each", each), ("json", options.json)]
        where isSet {
            words.append("--\(flag)")
        }
        return words
    }
}
