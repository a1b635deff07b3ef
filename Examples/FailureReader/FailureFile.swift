internal import Glibc
internal import JSONRPC
internal import RxClient
internal import RxJSON

/// The file of a reader: a line `EXECUTION CURSOR` for each failure.
struct FailureFile {
    /// A system call on the file failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        /// With the reason in `errno`.
        init(_ doing: String) { description = "\(doing): \(String(cString: strerror(errno)))" }
    }

    /// The bytes at the end that are read: more than the longest line.
    private static let tailBytes = 1024

    /// Where to continue; nil if there is no line yet.
    let cursor: String?
    private let descriptor: Int32

    /// Opens or creates the file, and removes a line that a kill has cut off.
    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path) }
        let size = lseek(descriptor, 0, SEEK_END)
        var tail = [UInt8](repeating: 0, count: FailureFile.tailBytes)
        let start = max(0, Int(size) - tail.count)
        let count = pread(descriptor, &tail, tail.count, start)
        guard size >= 0, count >= 0 else { throw Failure(path) }
        let whole = tail[..<count].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        guard ftruncate(descriptor, start + whole) == 0 else { throw Failure(path) }
        let lines = String(decoding: tail[..<whole], as: UTF8.self).split(separator: "\n")
        cursor = lines.last?.split(separator: " ").last.map(String.init)
    }

    /// Appends a failure. An error of no execution is passed over, and so is the end of a durable input that the next
    /// daemon starts again.
    func append(_ event: StreamEvent) throws {
        guard let execution = event.execution, let cursor = event.cursor, case .error(let error) = event.content,
            error.data?.value()["startsAgain"]?.bool != true
        else { return }
        let line = Array("\(execution) \(cursor)\n".utf8)
        guard write(descriptor, line, line.count) == line.count else { throw Failure("write") }
    }
}
