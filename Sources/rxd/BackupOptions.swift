internal import ArgumentParser

/// The options of `--backup`.
struct BackupOptions: ParsableArguments {
    @Option(
        name: .customLong("backup"),
        help: ArgumentHelp(
            "Copy the databases and the indices of watched paths to this directory, also while a daemon uses them.",
            discussion: "Prints a line for each copy, {\"path\":…,\"bytes\":…}, when all of them are complete.",
            valueName: "dir"))
    var directory: String?

    @Flag(help: "Replace the copies that the directory has, if the state still has their files.")
    var force = false

    func validate() throws {
        if directory == "" { throw ValidationError("--backup needs the path of a directory.") }
        if force, directory == nil { throw ValidationError("--force goes with --backup.") }
    }
}
