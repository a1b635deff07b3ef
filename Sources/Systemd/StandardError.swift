import Glibc
import Synchronization

/// Writes log lines to standard error, for processes without a journal.
struct StandardError: Sendable {
    /// How many milliseconds a line may wait for a slow reader; then its rest is dropped, and no line waits until one
    /// is accepted again.
    static let patienceMilliseconds: Int32 = 100

    let fileDescriptor: Int32
    /// Whether lines begin with `<N>`, which the journal parses as a priority.
    let showsPriority: Bool
    private let reader = Reader()

    /// The known state of the reader.
    private final class Reader: Sendable {
        let isStuck = Atomic(false)
    }

    init(fileDescriptor: Int32 = STDERR_FILENO, showsPriority: Bool) {
        self.fileDescriptor = fileDescriptor
        self.showsPriority = showsPriority
    }

    func write(priority: Int, line: String) {
        var text = (showsPriority ? "<\(priority)>" : "") + line + "\n"
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes in pieces that a pipe with free space accepts completely, because a shared descriptor must not be made
    /// nonblocking.
    private func write(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            var room = pollfd(fd: fileDescriptor, events: Int16(POLLOUT), revents: 0)
            let patience = reader.isStuck.load(ordering: .relaxed) ? 0 : Self.patienceMilliseconds
            let hasRoom = poll(&room, 1, patience) > 0
            reader.isStuck.store(!hasRoom, ordering: .relaxed)
            guard hasRoom else { return }
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(PIPE_BUF)))
            let written = Glibc.write(fileDescriptor, piece.baseAddress, piece.count)
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    /// Whether `JOURNAL_STREAM` identifies this process's standard error.
    static var isJournal: Bool {
        guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}
