internal import ArgumentParser

struct BackupCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the daemon's state to a directory, also while it is running.",
        usage: "rxctl backup [<options>] <directory>",
        discussion: """
            Runs `rxd --backup`, which needs the right to read the state, so as root or as the daemon's user. It \
            copies the databases and the indices of watched paths. The copy of a database is the database as of one \
            moment, and is checked for damage before it gets its name. The directory is made if it is missing, and \
            must be one that only you or root may write; a backup that it has is replaced only with --force.

            Prints a line for each copy, {"path":…,"bytes":…}, when all of them are on the disk. To restore a backup, \
            see docs/operating.md.

            Exit status:
              0   all copies are complete
              2   the directory cannot be used: it has a backup, is shared, or is another user's
              4   permission to read the state, or to write the copies, is denied
              5   no state is stored there
              74  the state is damaged or cannot be read, or a copy not written
            """)

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

    @Flag(help: "Replace the backup that the directory has, if the state still has its databases.")
    var force = false

    @Argument(help: "The directory of the copies.", completion: .directory)
    var directory: String

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if directory.isEmpty { throw ValidationError("The directory's path is empty.") }
    }

    func run() throws { try OtherProgram.becomeDaemon(arguments, in: .state, state, options) }

    var arguments: [String] {
        var words = ["--backup=\(directory)"]
        words += state.map { ["--state=\($0)"] } ?? []
        for (flag, isSet) in [("force", force), ("json", options.json)] where isSet { words.append("--\(flag)") }
        return words
    }
}
