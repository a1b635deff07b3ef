internal import ArgumentParser

struct LogsCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Prints an execution's records in the journal: its stderr, and what the daemon logged.",
        usage: "rxctl logs [<options>] <execution>",
        discussion: """
            Runs `journalctl RXD_EXECUTION=ID`, so you see what you are permitted to read there. With --json it prints \
            one JSON object per line, in the format of journalctl.
            """)

    /// The field of every journal record that is about an execution.
    static let field = "RXD_EXECUTION"

    @Flag(name: .shortAndLong, help: "Go on with new records until interrupted.")
    var follow = false

    @Argument(help: "The execution's id.", completion: .executions)
    var execution: String

    @OptionGroup var options: GlobalOptions

    func run() throws {
        guard let id = ExecutionArgument.id(execution) else {
            throw Ending.inputRefused("\(execution) is not an execution's id; rxctl history lists them")
        }
        try OtherProgram.become(LogsCommand.arguments(id: id, follow: follow, json: options.json))
    }

    static func arguments(id: String, follow: Bool, json: Bool) -> [String] {
        // The host is always this one.
        let format = json ? ["--output=json"] : ["--output=short-iso", "--no-hostname"]
        // Without --no-tail, following would begin with the last ten records.
        return ["journalctl", "--quiet"] + format + (follow ? ["--follow", "--no-tail"] : []) + ["\(field)=\(id)"]
    }
}
