internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxPlatform

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
/// That is for the death of processes, after which both files are as they were last. A power cut leaves either of them
/// older, as far back as it was last synced, so F and the output need not fit. What holds then is the *sync point* in
/// F: the output is synced, and then F is written with the output's size S and the cursor C of that moment. Whichever
/// version of F the disk has, the output has at least the S bytes that this version names, and they are exactly the
/// lines up to C. The first one is on the disk before the first line is written, the others follow the lines by
/// `SyncPace`, the last one at the end. A reader that finds F written in another boot
///
/// 1. ignores cursor and intent, and truncates the output behind its last whole line;
/// 2. continues at the cursor of the output's last line, if the lines are records;
/// 3. otherwise (`--values`) continues at C, and leaves out each line that the output has behind S already.
///
/// So no line is doubled, and none is missing that the daemon can still send; what it cannot send again, such as
/// elements of an earlier daemon, it reports. An output that is another file or shorter than S is reported here. The
/// boot's identity is that of the kernel; a machine without one recovers this way after every end.
final class CursorFile {
    private let path: String
    private let descriptor: Int32
    private let calls: FileCalls
    private let boot: String?
    private var record: CursorRecord
    private var output: OutputFile?
    /// Lines that are in the output and may come again; nil in all but the first moments after a power cut.
    private var tail: WrittenTail?
    /// Whether the output's file system cannot sync.
    private var cannotSync = false

    /// The cursor to continue at; nil if nothing was ever read.
    var cursor: String? { record.cursor }

    /// Opens or creates the file, and locks it until this object is released. A file that is not a cursor file is
    /// refused and left unchanged.
    init(_ path: String, calls: FileCalls = .system) throws(Ending) {
        self.path = path
        self.calls = calls
        boot = calls.bootID()
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
    /// - Parameter isOfRecords: whether each line is a record with its cursor.
    /// - Returns: a warning for people, if records may be written again or may be missing.
    func attach(to descriptor: Int32, isOfRecords: Bool) throws(Ending) -> String? {
        let output = OutputFile(descriptor: descriptor)
        var status = stat()
        guard fstat(self.descriptor, &status) == 0, OutputFile.identity(status) != output.identity else {
            throw CursorFile.failure(path, "is the output as well; name another cursor file")
        }
        self.output = output
        let remark: String?
        if let sync = record.sync, record.boot == nil || record.boot != boot {
            remark = try recover(output, from: sync, isOfRecords: isOfRecords)
        } else {
            remark = try settle(output)
        }
        try self.sync()
        return remark
    }

    /// Settles what a reader of this boot left: its intent.
    private func settle(_ output: OutputFile) throws(Ending) -> String? {
        guard let intent = record.intent else { return nil }
        var remark: String?
        switch Settlement(of: intent, in: output) {
        case .unwritten:
            break
        case .written:
            record.cursor = intent.cursor
        case .torn:
            try truncate(output, to: intent.size)
        case .unknown:
            remark = "\(path): the last records may be written again: the output has changed since, or is another file"
        }
        record.intent = nil
        try write()
        return remark
    }

    /// Settles what a power cut left: at least what was synced.
    private func recover(
        _ output: OutputFile, from sync: SyncPoint, isOfRecords: Bool
    ) throws(Ending) -> String? {
        record.intent = nil
        record.cursor = sync.cursor
        guard output.inode == sync.file, let size = output.sizeForAppending else {
            return "\(path): the last records may be written again: the output is not the file of before the reboot"
        }
        let isShort = size < sync.size
        guard let tail = WrittenTail(of: output, from: isShort ? 0 : sync.size, size: size) else {
            throw CursorFile.failure(path, "the output cannot be read: \(SystemErrorName.text(of: errno))")
        }
        if tail.end < size { try truncate(output, to: tail.end) }
        if isOfRecords, let cursor = tail.lastCursor {
            record.cursor = cursor
        } else if !tail.isOver {
            self.tail = tail
        }
        return isShort ? "\(path): the output is shorter than it was; records may be missing from it" : nil
    }

    private func truncate(_ output: OutputFile, to size: Int) throws(Ending) {
        guard calls.truncate(output.descriptor, size) == 0 else {
            throw CursorFile.failure(
                path, "an incomplete line cannot be removed from the output: \(SystemErrorName.text(of: errno))")
        }
        output.moveToEnd()
    }

    /// Whether the output has a line already, which a reader before a power cut has written. If so, do not write it.
    func hasWritten(_ line: some Sequence<UInt8>) -> Bool {
        guard let tail else { return false }
        let isWritten = tail.takes(Array(line))
        if tail.isOver { self.tail = nil }
        return isWritten
    }

    /// Whether a batch will be written exactly once.
    var isExact: Bool { output?.sizeForAppending != nil }

    /// Records the intent to write a batch that reaches to `cursor`; nil: no further than before. If `isExact`, the
    /// caller then writes the whole batch, and calls `commit` or `takeBack`.
    func begin(_ batch: UnsafeRawBufferPointer, reaching cursor: String?) throws(Ending) {
        guard let output, let file = output.identity, let size = output.sizeForAppending,
            let cursor = try checked(cursor) ?? record.cursor
        else { return }
        // Somebody has emptied the output.
        if size < record.sync?.size ?? 0 { try sync() }
        record.intent = WriteIntent(file: file, size: size, batch: batch, cursor: cursor)
        try write()
    }

    /// Records that everything up to `cursor` is written; nil: no further than before.
    func commit(_ cursor: String?) throws(Ending) {
        var next = record
        next.cursor = try checked(cursor) ?? record.cursor
        next.intent = nil
        guard next != record else { return }
        record = next
        // While lines are left out, the file stays as the power cut left it.
        guard tail == nil else { return }
        if record.sync == nil, isExact, !cannotSync {
            try sync()
        } else {
            try write()
        }
    }

    /// Brings the output and then this file to the disk. Call it when everything that is begun is committed.
    func sync() throws(Ending) {
        guard tail == nil, record.intent == nil, let cursor = record.cursor else { return }
        if let output, let file = output.inode, let size = output.sizeForAppending, !cannotSync {
            let point = SyncPoint(file: file, size: size, cursor: cursor)
            guard point != record.sync || record.boot != boot else { return }
            if record.sync == nil { try syncNames(output) }
            record.sync = try sync(output.descriptor, "the output") ? point : nil
        } else {
            record.sync = nil
        }
        try write()
        if record.sync != nil { _ = try sync(descriptor, "the file") }
    }

    /// The names of new files, without which their content is lost.
    private func syncNames(_ output: OutputFile) throws(Ending) {
        for file in [descriptor, output.descriptor] {
            guard let directory = OutputFile(descriptor: file).directory else { continue }
            defer { close(directory) }
            _ = try sync(directory, "the directory")
        }
    }

    /// - Returns: false if the file system cannot do it.
    private func sync(_ descriptor: Int32, _ what: String) throws(Ending) -> Bool {
        guard calls.sync(descriptor) != 0 else { return true }
        guard errno == EINVAL || errno == ENOSYS || errno == EROFS else {
            throw CursorFile.failure(path, "\(what) cannot be synced: \(SystemErrorName.text(of: errno))")
        }
        cannotSync = true
        return false
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
        record.boot = boot
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
