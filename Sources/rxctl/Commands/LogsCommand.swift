internal import ArgumentParser

struct LogsCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Shows an execution's records in the journal: its stderr, the daemon's remarks, its end.",
        discussion: """
            Becomes `journalctl RXD_EXECUTION=ID`, so it shows what you may read there. With --json one JSON object a \
            line, as journalctl writes it.
            """)

    /// The daemon writes it into every record that is about an execution.
    static let field = "RXD_EXECUTION"

    @OptionGroup var options: GlobalOptions

    @Flag(name: .shortAndLong, help: "Go on with what is added, until interrupted.")
    var follow = false

    @Argument(help: "The execution's id.", completion: .executions)
    var execution: String

    func run() throws {
        guard let id = ExecutionArgument.id(execution) else {
            throw Ending.inputRefused("not an execution's id: \(execution)")
        }
        try OtherProgram.become(LogsCommand.arguments(id: id, follow: follow, json: options.json))
    }

    static func arguments(id: String, follow: Bool, json: Bool) -> [String] {
        // Times matter in a log; the host is always this one.
        let format = json ? ["--output=json"] : ["--output=short-iso", "--no-hostname"]
        // Without --no-tail, following would begin with the last ten.
        return ["journalctl", "--quiet"] + format + (follow ? ["--follow", "--no-tail"] : []) + ["\(field)=\(id)"]
    }
}
