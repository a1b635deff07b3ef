internal import Glibc
internal import RxClient
internal import RxJSON
internal import RxPlatform
internal import RxProtocol

/// `--resume FILE`: how the lines of an input have ended, so that the next run with the same file executes only those
/// that have not completed.
///
/// The first line names the job and its action, `{"job":ID,"action":NAME}`; each further line is a `JobLogEntry`,
/// appended once the output of that line of the input is written. So a run that is killed
///
/// - before the entry, leaves an execution whose key has the job's id: the next run finds it again by the same key,
///   and prints its elements again;
/// - in the middle of the entry, leaves a torn last line, which the next run removes, as if it had been killed before;
/// - after the entry, leaves a line that is not executed again.
///
/// That is for the death of processes. A power cut may take the entries of the last second (later if the disk is slow:
/// see `SyncPace`) and, unless the action is durable, what the daemon had of them; these lines are executed again. The
/// job's id is on the disk before anything is executed.
final class JobLog {
    /// The largest file: far more entries than a daemon executes in days.
    static let mostBytes = 256 << 20

    /// The job's id.
    private(set) var id: String
    private(set) var lines = LoggedLines()

    private let path: String
    private let descriptor: Int32
    private let calls: FileCalls
    private var size: Int
    private var isSynced = true
    private var pace = SyncPace()
    private var isSyncPlanned = false

    /// Opens or creates the file, and locks it until this object is released. A file that is not the job log of the
    /// action is refused and left unchanged.
    init(_ path: String, action: String, calls: FileCalls = .system) throws(Ending) {
        self.path = path
        self.calls = calls
        // Non-blocking: opening a pipe would wait for its reader.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
        id = ""
        size = 0
        guard descriptor >= 0 else {
            throw JobLog.failure(path, "cannot be opened: \(SystemErrorName.text(of: errno))")
        }
        try lock()
        let text = try contents()
        guard let first = text.first else {
            id = LineKeys.makeID()
            try begin(action)
            return
        }
        guard let job = first["job"]?.string, let name = first["action"]?.string else {
            throw JobLog.failure(path, "not a job log; it was left unchanged")
        }
        guard name == action else { throw JobLog.failure(path, "the job log of the action \(name); name another file") }
        id = job
        for (place, value) in text.enumerated().dropFirst() {
            guard let entry = JobLogEntry(value) else {
                throw JobLog.failure(path, "line \(place + 1) is not an entry of a job log; it was left unchanged")
            }
            lines.add(entry)
        }
        guard calls.truncate(descriptor, size) == 0 else {
            throw JobLog.failure(path, "cannot be written: \(SystemErrorName.text(of: errno))")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Appends entries.
    func append(_ entries: [JobLogEntry]) throws(Ending) {
        guard !entries.isEmpty else { return }
        let now = Timestamp.now
        try write(entries.flatMap { $0.bytes(at: now) })
        for entry in entries { lines.add(entry) }
    }

    /// Brings the entries to the disk in a while, together with those that are appended until then.
    ///
    /// - Parameters:
    ///   - schedule: calls a body after a time.
    ///   - onEnd: called with nil when they are there, or with the reason why not.
    func syncLater(_ schedule: (Duration, @escaping () -> Void) -> Void, onEnd: @escaping (Ending?) -> Void) {
        guard !isSyncPlanned else { return }
        isSyncPlanned = true
        schedule(pace.pause) { [self] in
            isSyncPlanned = false
            let start = ContinuousClock.now
            var failure: Ending?
            do throws(Ending) { try sync() } catch { failure = error }
            pace.took(.now - start)
            onEnd(failure)
        }
    }

    /// Brings the entries to the disk.
    func sync() throws(Ending) {
        guard !isSynced else { return }
        isSynced = true
        try sync(descriptor)
    }

    private func lock() throws(Ending) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw JobLog.failure(path, "not a regular file")
        }
        guard OutputFile.identity(status) != OutputFile(descriptor: STDOUT_FILENO).identity else {
            throw JobLog.failure(path, "is the output as well; name another file")
        }
        guard status.st_size <= JobLog.mostBytes else {
            throw JobLog.failure(path, "longer than \(JobLog.mostBytes) bytes; name another file")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw JobLog.failure(
                path,
                errno == EWOULDBLOCK
                    ? "in use by another rxctl" : "cannot be locked: \(SystemErrorName.text(of: errno))")
        }
    }

    /// The whole lines, and sets `size` to their end. A last line that is torn does not count; but a file that has
    /// nothing else is only taken for an empty one if its text begins as that of a job log.
    private func contents() throws(Ending) -> [JSONValue] {
        guard let length = OutputFile(descriptor: descriptor).size,
            let bytes = OutputFile(descriptor: descriptor).bytes(0, length)
        else { throw JobLog.failure(path, "cannot be read: \(SystemErrorName.text(of: errno))") }
        guard let last = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
            let start = Array(JobLog.start.utf8)
            guard bytes.starts(with: start) || start.starts(with: bytes) else {
                throw JobLog.failure(path, "not a job log; it was left unchanged")
            }
            return []
        }
        size = last + 1
        return bytes[..<last].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            let limits = JSONLimits(bytes: line.count)
            return (try? RawJSON(validating: Array(line), limits: limits).value()) ?? .null
        }
    }

    /// How a job log begins.
    private static let start = #"{"job":""#

    private func begin(_ action: String) throws(Ending) {
        guard calls.truncate(descriptor, 0) == 0 else {
            throw JobLog.failure(path, "cannot be written: \(SystemErrorName.text(of: errno))")
        }
        let header: JSONObject = ["job": .string(id), "action": .string(action)]
        try write(RawJSON(.object(header)).utf8 + [UInt8(ascii: "\n")])
        try sync()
        guard let directory = OutputFile(descriptor: descriptor).directory else { return }
        defer { close(directory) }
        try sync(directory)
    }

    private func write(_ bytes: [UInt8]) throws(Ending) {
        isSynced = false
        let count = bytes.withUnsafeBytes { calls.writeAt(descriptor, $0, size) }
        guard count == bytes.count else {
            let number = count < 0 ? errno : ENOSPC
            // If that fails, the next run finds a torn line.
            _ = calls.truncate(descriptor, size)
            throw JobLog.failure(path, "cannot be written: \(SystemErrorName.text(of: number))")
        }
        size += count
    }

    private func sync(_ descriptor: Int32) throws(Ending) {
        guard calls.sync(descriptor) != 0, errno != EINVAL, errno != ENOSYS, errno != EROFS else { return }
        throw JobLog.failure(path, "cannot be synced: \(SystemErrorName.text(of: errno))")
    }

    private static func failure(_ path: String, _ what: String) -> Ending {
        Ending(
            outcome: .failed, message: .text("\(path): \(what)"), facts: ["name": "jobLog", "path": .string(path)])
    }
}
