internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxLoop

/// `--cursor-file F`: where a reader is, kept beside its output, so that the next one goes on there.
///
/// Exactly once, if stdout is a regular file that nobody else writes to. Say F names the cursor c, and the output has
/// exactly the lines up to c. To append a batch that reaches to c':
///
/// 1. *begin*: F is written: c, and the intent "n bytes at size s, then c'".
/// 2. *write*: the batch is appended to the output.
/// 3. *commit*: F is written: c'.
///
/// Each write of F is one page that is written whole or not at all, so a reader that is killed leaves one of:
///
/// - before 1, or after 3: no intent, and the output has exactly the lines up to the cursor in F.
/// - between 1 and 3: the intent, and an output of size
///   - s: nothing was written. The lines are those up to c, and c is the cursor to go on with.
///   - s + n: all was written. The lines are those up to c', and c' is the cursor.
///   - between: a torn batch. The output is cut to s, which makes it the first case.
///
/// To settle this is to cut if need be, then to write F without the intent; who is killed in the middle of that leaves
/// one of the same cases. As only lines up to the cursor in use are in the output, and the daemon sends exactly what follows that
/// cursor, no line is lost and none comes twice. (Hashes of the batch stand in the intent too: what others
/// have written meanwhile is neither taken for ours nor cut off. If they have, nobody can tell any more, and the batch is
/// written again.)
///
/// At least once, if stdout is a pipe, a terminal, or a file that is not appended to: how much of it was read nobody can
/// see, so F is written after the output and there is no intent.
///
/// All this is about processes that die. F is not synced: a machine that dies may leave it older than the output; but then the
/// daemon's epoch is another one, and its cursors are expired.
final class CursorFile {
    private let path: String
    private let descriptor: Int32
    private let calls: FileCalls
    private var record: CursorRecord
    private var output: OutputFile?

    /// Where to go on; nil if nothing was ever read.
    var cursor: String? { record.cursor }

    /// Opens the file, or makes an empty one, and locks it for as long as this lives. Nothing is written to one that is not a cursor file.
    init(_ path: String, calls: FileCalls = .system) throws(Ending) {
        self.path = path
        self.calls = calls
        // Not blocking: a pipe of that name would wait for its reader.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
        record = CursorRecord()
        guard descriptor >= 0 else { throw CursorFile.failure(path, "cannot be opened: \(SystemErrorName.text(of: errno))") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CursorFile.failure(path, "is no regular file")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CursorFile.failure(
                path,
                errno == EWOULDBLOCK ? "is in use by another rxctl" : "cannot be locked: \(SystemErrorName.text(of: errno))")
        }
        var bytes = [UInt8](repeating: 0, count: CursorRecord.size + 1)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw CursorFile.failure(path, "cannot be read: \(SystemErrorName.text(of: errno))") }
        guard let record = CursorRecord(Array(bytes[..<count])) else {
            throw CursorFile.failure(path, "is no cursor file; it is left as it is")
        }
        self.record = record
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Finds out what a reader before has left in `descriptor`, which is written to from now on.
    ///
    /// - Returns: what of it cannot be known, in words for people.
    func attach(to descriptor: Int32) throws(Ending) -> String? {
        let output = OutputFile(descriptor: descriptor)
        var status = stat()
        guard fstat(self.descriptor, &status) == 0, OutputFile.identity(status) != output.identity else {
            throw CursorFile.failure(path, "is where the output goes")
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
                throw CursorFile.failure(path, "half a line cannot be taken back: \(SystemErrorName.text(of: errno))")
            }
            output.moveToEnd()
        case .unknown:
            remark = "\(path): what was written last may come again: the output was changed since, or is another one"
        }
        record.intent = nil
        try write()
        return remark
    }

    /// Whether a batch will be written exactly once.
    var isExact: Bool { output?.sizeForAppending != nil }

    /// A batch is about to be written, which reaches to `cursor`, or no further than before. Of a file that can be
    /// settled, the batch has to be written at once and whole, and then `commit` or `takeBack` called.
    func begin(_ batch: UnsafeRawBufferPointer, reaching cursor: String?) throws(Ending) {
        guard let output, let file = output.identity, let size = output.sizeForAppending,
            let cursor = try checked(cursor) ?? record.cursor
        else { return }
        record.intent = WriteIntent(file: file, size: size, batch: batch, cursor: cursor)
        try write()
    }

    /// Everything up to `cursor` is written.
    func commit(_ cursor: String?) throws(Ending) {
        let next = CursorRecord(cursor: try checked(cursor) ?? record.cursor)
        guard next != record else { return }
        record = next
        try write()
    }

    /// A part of the batch was written and no more can be.
    func takeBack() throws(Ending) {
        guard let intent = record.intent, let output else { return }
        // Unless it was cut, the intent stays, and the next reader tries again.
        guard calls.truncate(output.descriptor, intent.size) == 0 else { return }
        output.moveToEnd()
        record.intent = nil
        try write()
    }

    private func checked(_ cursor: String?) throws(Ending) -> String? {
        guard let cursor, !CursorText.isCursor(cursor) else { return cursor }
        throw CursorFile.failure(path, "the daemon sent what is no cursor: \(cursor)")
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
