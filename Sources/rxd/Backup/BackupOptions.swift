internal import ArgumentParser
internal import Glibc
internal import RxJSON
internal import RxPlatform
internal import RxStore

// Backup: copies of the databases of a state directory, made beside a daemon or without one.
//
// `rxctl backup DIR` executes `rxd --backup DIR`. The daemon itself could not write there: its unit leaves it little
// more than its state directory. RxStore's StateBackup does the work; this file has the options, the output, and the
// exit statuses.

/// The options of `--backup`.
struct BackupOptions: ParsableArguments {
    @Option(
        name: .customLong("backup"),
        help: ArgumentHelp(
            "Copy the databases of the state to this directory, also while a daemon uses them.",
            discussion: "Prints a line for each copy, {\"path\":…,\"bytes\":…}, when all of them are complete.",
            valueName: "dir"))
    var directory: String?

    @Flag(help: "Replace the copies that the directory has, if the state still has their databases.")
    var force = false

    func validate() throws {
        if directory == "" { throw ValidationError("--backup needs the path of a directory.") }
        if force, directory == nil { throw ValidationError("--force goes with --backup.") }
    }

    /// Makes the backup, and prints what it consists of.
    func run(of state: String, to directory: String, _ disk: Disk) throws(OfflineFailure) {
        let copies: [StateBackup.Copy]
        do throws(BackupFailure) {
            copies = try StateBackup(of: state, to: directory, on: disk).make(replacing: force)
        } catch {
            throw OfflineFailure(error)
        }
        for copy in copies {
            let error = StandardOutput.write(RawJSON(copy.line))
            guard error == 0 else {
                throw OfflineFailure(
                    status: .unwritable, message: "standard output: \(SystemErrorName.text(of: error))")
            }
        }
    }
}

extension StateBackup.Copy {
    fileprivate var line: JSONValue { ["path": .string(path), "bytes": JSONValue(bytes)] }
}

extension OfflineFailure {
    fileprivate init(_ failure: BackupFailure) {
        switch failure {
        case .nothingStored: self.init(status: .notFound, message: "\(failure)")
        case .insideState, .foreignDirectory, .sharedDirectory, .exists, .incomplete, .onlyCopy, .inUse, .busy:
            self.init(status: .invalidParams, message: "\(failure)")
        case .unwritable(.file(_, _, EACCES)), .unwritable(.file(_, _, EPERM)):
            self.init(status: .forbidden, message: "\(failure)")
        case .badCopy, .unwritable: self.init(status: .unwritable, message: "\(failure)")
        case .store(let error): self.init(error, missing: "nothing is stored there")
        }
    }
}
