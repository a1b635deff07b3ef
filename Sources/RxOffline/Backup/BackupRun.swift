internal import Glibc
internal import RxJSON
package import RxPlatform
internal import RxStore

/// A backup: copies of the databases of a state directory, made beside a daemon or without one.
///
/// `rxctl backup DIR` executes `rxd --backup DIR`. The daemon itself could not write there: its unit leaves it little
/// more than its state directory. RxStore's StateBackup does the work; this type has the output and the exit statuses.
package struct BackupRun {
    private let state: String
    private let directory: String
    private let replaces: Bool
    private let disk: Disk

    /// - Parameters:
    ///   - state: the state directory.
    ///   - directory: where the copies are made.
    ///   - replaces: whether copies that are there are replaced.
    package init(of state: String, to directory: String, replacing replaces: Bool, on disk: Disk) {
        self.state = state
        self.directory = directory
        self.replaces = replaces
        self.disk = disk
    }

    /// Makes the backup, and prints a line for each copy.
    package func run() throws(OfflineFailure) {
        let copies: [StateBackup.Copy]
        do throws(BackupFailure) {
            copies = try StateBackup(of: state, to: directory, on: disk).make(
                replacing: replaces, onPartialFiles: OfflineInterrupts.remove)
        } catch {
            throw OfflineFailure(error)
        }
        for copy in copies {
            let error = StandardOutput.write(RawJSON(copy.line))
            guard error == 0 else { throw .output(error) }
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
