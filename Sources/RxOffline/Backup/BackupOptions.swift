package import ArgumentParser

/// The options of `--backup`.
package struct BackupOptions: ParsableArguments {
    @Option(
        name: .customLong("backup"),
        help: ArgumentHelp(
            "Copy the databases and the indices of watched paths to this directory, also while a daemon uses them.",
            discussion: "Prints a line for each copy, {\"path\":…,\"bytes\":…}, when all of them are complete.",
            valueName: "dir"))
    package var directory: String?

    @Flag(help: "Replace the copies that the directory has, if the state still has their files.")
    package var force = false

    package init() {}

    package func validate() throws {
        if directory == "" { throw ValidationError("--backup needs the path of a directory.") }
        if force, directory == nil { throw ValidationError("--force goes with --backup.") }
    }
}
