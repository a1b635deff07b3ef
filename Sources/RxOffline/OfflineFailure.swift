internal import Glibc
internal import RxJSON
internal import RxPlatform
internal import RxStore

/// The reason why a run without a daemon ended without a result.
package struct OfflineFailure: Error {
    /// The exit statuses besides 0 and EX_CONFIG; rxctl has the same.
    package enum Status {
        case invalidParams, forbidden, notFound, unreadable, unwritable

        package var exitStatus: Int32 {
            switch self {
            case .invalidParams: 2
            case .forbidden: 4
            case .notFound: 5
            // Not 1, which means that states differ.
            case .unreadable, .unwritable: EX_IOERR
            }
        }
    }

    package let status: Status
    package let message: String

    /// Prints the message on standard error: as text, or as one JSON object.
    package func report(asJSON: Bool) {
        guard asJSON else { return StandardError.write("rxd: \(message)") }
        let error: JSONValue = ["message": .string(message), "data": ["name": .string("\(status)")]]
        StandardError.write(RawJSON(error))
    }
}

extension OfflineFailure {
    /// The standard output that takes no more, with the errno of the write.
    static func output(_ errno: Int32) -> OfflineFailure {
        OfflineFailure(status: .unwritable, message: "standard output: \(SystemErrorName.text(of: errno))")
    }

    /// - Parameter missing: what it means that a file does not exist.
    init(_ error: StoreError, missing: String) {
        switch error {
        case .file(_, let path, ENOENT):
            self.init(status: .notFound, message: "\(path): there is no such file: \(missing)")
        case .file(_, let path, EACCES):
            self.init(
                status: .forbidden,
                message: "\(path): uid \(getuid()) may not read it; run this as root or as the daemon's user")
        case .file, .inUse, .damaged, .unreadable, .unchecked, .damagedMark, .missing, .rolledBack, .moved,
            .foreign, .newer, .failed, .overloaded, .lost, .outOfOrder, .passed, .closed:
            self.init(status: .unreadable, message: "\(error)")
        }
    }
}
