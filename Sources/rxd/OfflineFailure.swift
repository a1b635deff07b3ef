internal import ArgumentParser
internal import Glibc
internal import RxJSON
internal import RxStore

/// Why `rxd --replay` or `rxd --backup`, which work on the state without starting a daemon, ended without a result.
struct OfflineFailure: Error {
    /// The exit statuses besides 0 and EX_CONFIG; rxctl has the same.
    enum Status {
        case invalidParams, forbidden, notFound, unreadable, unwritable

        var exitCode: ExitCode {
            switch self {
            case .invalidParams: ExitCode(2)
            case .forbidden: ExitCode(4)
            case .notFound: ExitCode(5)
            // Not 1, which means that states differ.
            case .unreadable, .unwritable: ExitCode(EX_IOERR)
            }
        }
    }

    let status: Status
    let message: String

    /// Prints the message on standard error: as text, or as one JSON object.
    func report(asJSON: Bool) {
        guard asJSON else { return StandardError.write("rxd: \(message)") }
        let error: JSONValue = ["message": .string(message), "data": ["name": .string("\(status)")]]
        StandardError.write(RawJSON(error).text)
    }
}

extension OfflineFailure {
    /// - Parameter missing: what it means that a file does not exist.
    init(_ error: StoreError, missing: String) {
        switch error {
        case .file(_, let path, ENOENT):
            self.init(status: .notFound, message: "\(path): there is no such file: \(missing)")
        case .file(_, let path, EACCES):
            self.init(
                status: .forbidden, message: "\(path): it is the daemon's, and may not be read by uid \(getuid())")
        case .file, .inUse, .damaged, .unreadable, .damagedMark, .missing, .rolledBack, .moved, .foreign,
            .newer, .failed, .overloaded, .lost, .outOfOrder, .passed, .closed:
            self.init(status: .unreadable, message: "\(error)")
        }
    }
}
