internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxLoop

/// `--cursor-file F`: the position of a reader, stored beside its output, so that the next reader continues there.
///
/// Exactly once, if stdout is a regular file that nobody else writes to. Suppose that F holds the cursor c, and that
/// the output has exactly the lines up to c. To append a batch that reaches to c':
///
/// 1. *begin*: F is written: c, and the intent "n bytes at size s, then c'".
/// 2. *write*: the batch is appended to the output.
/// 3. *commit*: F is written: c'.
///
/// Each write of F is one page that is written whole or not at all, so a reader that is killed leaves one of these
/// cases:
///
/// - before 1, or after 3: no intent, and the output has exactly the lines up to the cursor in F.
/// - between 1 and 3: the intent, and an output of size
///   - s: nothing was written. The lines are those up to c, and the reader continues at c.
///   - s + n: all was written. The lines are those up to c', and the reader continues at c'.
///   - between: a torn batch. The output is truncated to s, which makes it the first case.
///
/// The next reader truncates the output if necessary, then writes F without the intent; if it is killed in between, it
/// leaves one of the same cases. The output has only lines up to the cursor in use, and the daemon sends exactly the
/// events after that cursor, so no line is lost and none is doubled. The intent also has hashes of the batch, so that
/// lines which another process has written are neither mistaken for the batch nor truncated. If another process has
/// written, the batch is written again.
///
/// At least once, if stdout is a pipe, a terminal, or a file that is not appended to: rxctl cannot see how much was
/// read, so F is written after the output and there is no intent.
///
/// This covers the death of processes. F is not synced: a machine that crashes may leave it older than the output, but
/// then the daemon has a new epoch, and the old cursors are expired.
final class CursorFile {
    private let path: String
    private let descriptor: Int32
    private let calls: FileCalls
    private var record: CursorRecord
    private var output: OutputFile?

    /// The cursor to continue at; nil if nothing was ever read.
    var cursor: String? { record.cursor }

    /// Opens or creates the file, and locks it until this object is released. A file that is not a cursor file is
    /// refused and left unchanged.
    init(_ path: String, calls: FileCalls = .system) throws(Ending) {
        self.path = path
        self.calls = calls
        // Non-blocking: opening a pipe would wait for its reader.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
        record = CursorRecord()
        guard descriptor >= 0 else {
            throw CursorFile.failure(path, "cannot be opened: \(SystemErrorName.text(of: errno))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CursorFile.failure(path, "not a regular file")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CursorFile.failure(
                path,
                errno == EWOULDBLOCK
                    ? "in use by another rxctl" : "cannot be locked: \(SystemErrorName.text(of: errno))")
        }
        var bytes = [UInt8](repeating: 0, count: CursorRecord.size + 1)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw CursorFile.failure(path, "cannot be read: \(SystemErrorName.text(of: errno))") }
        guard let record = CursorRecord(Array(bytes[..<count])) else {
            throw CursorFile.failure(path, "not a cursor file; it was left unchanged")
        }
        self.record = record
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Settles what an earlier reader left in `descriptor`, which is the output from now on.
    ///
    /// - Returns: a warning for people, if records may be written again.
    func attach(to descriptor: Int32) throws(Ending) -> String? {
        let output = OutputFile(descriptor: descriptor)
        var status = stat()
        guard fstat(self.descriptor, &status) == 0, OutputFile.identity(status) != output.identity else {
            throw CursorFile.failure(path, "is the output as well; name another cursor file")
        }
        self.output = output
        guard let intent = record.intent else { return nil }
        var remark: String?
        switch Settlement(of: intent, in: output) {
        case .unwritten:
            break
        case .written:
            record.cursor = intent.cursor
        case .torn:
            guard calls.truncate(descriptor, intent.size) == 0 else {
                throw CursorFile.failure(
                    path, "an incomplete line cannot be removed from the output: \(SystemErrorName.text(of: errno))")
            }
            output.moveToEnd()
        case .unknown:
            remark = "\(path): the last records may be written again: the output has changed since, or is another file"
        }
        record.intent = nil
        try write()
        return remark
    }

    /// Whether a batch will be written exactly once.
    var isExact: Bool { output?.sizeForAppending != nil }

    /// Records the intent to write a batch that reaches to `cursor`; nil: no further than before. If `isExact`, the
    /// caller then writes the whole batch, and calls `commit` or `takeBack`.
    func begin(_ batch: UnsafeRawBufferPointer, reaching cursor: String?) throws(Ending) {
        guard let output, let file = output.identity, let size = output.sizeForAppending,
            let cursor = try checked(cursor) ?? record.cursor
        else { return }
        record.intent = WriteIntent(file: file, size: size, batch: batch, cursor: cursor)
        try write()
    }

    /// Records that everything up to `cursor` is written; nil: no further than before.
    func commit(_ cursor: String?) throws(Ending) {
        let next = CursorRecord(cursor: try checked(cursor) ?? record.cursor)
        guard next != record else { return }
        record = next
        try write()
    }

    /// Truncates the output after a batch that could be written only in part.
    func takeBack() throws(Ending) {
        guard let intent = record.intent, let output else { return }
        // If that fails, the intent stays, and the next reader tries again.
        guard calls.truncate(output.descriptor, intent.size) == 0 else { return }
        output.moveToEnd()
        record.intent = nil
        try write()
    }

    private func checked(_ cursor: String?) throws(Ending) -> String? {
        guard let cursor, !CursorText.isCursor(cursor) else { return cursor }
        throw CursorFile.failure(path, "the daemon sent an invalid cursor: \(cursor)")
    }

    private func write() throws(Ending) {
        let bytes = record.bytes
        let count = bytes.withUnsafeBytes { calls.writeAt(descriptor, $0, 0) }
        guard count == bytes.count else {
            throw CursorFile.failure(path, "cannot be written: \(SystemErrorName.text(of: count < 0 ? errno : ENOSPC))")
        }
    }

    private static func failure(_ path: String, _ what: String) -> Ending {
        Ending(
            outcome: .failed, message: .text("\(path): \(what)"),
            facts: ["name": "cursorFile", "path": .string(path)])
    }
}
