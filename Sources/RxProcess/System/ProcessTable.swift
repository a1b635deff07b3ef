internal import Glibc
internal import RxPlatform

/// A process, however often its pid is reused, until the next start of the machine.
struct ProcessIdentity: Hashable {
    let pid: pid_t
    /// Clock ticks since the machine started.
    let startTime: UInt64
}

/// The table of processes, or a part of it, cannot be read, for example because no descriptor is left. Nothing is known
/// about the processes then.
package struct ProcessTableError: Error, Equatable, CustomStringConvertible {
    let path: String
    let code: Int32

    package var description: String { "cannot read \(path): \(SystemErrorName.text(of: code))" }
}

/// Information about processes from /proc.
///
/// A process that does not exist, and the details of one that belongs to another user, are nil. Any other failure is an
/// error: a process that cannot be looked at counts as neither dead nor foreign.
enum ProcessTable {
    struct Entry: Equatable {
        let pid: pid_t
        let group: pid_t
        let session: pid_t
        /// Clock ticks since the machine started.
        let startTime: UInt64
        /// Whether it has ended but has not been reaped.
        let isZombie: Bool

        var identity: ProcessIdentity { ProcessIdentity(pid: pid, startTime: startTime) }
    }

    /// The entry of a process; nil if it does not exist.
    static func entry(_ pid: pid_t, in root: String = "/proc") throws(ProcessTableError) -> Entry? {
        guard let bytes = try contents(of: "\(root)/\(pid)/stat", atMost: 4096) else { return nil }
        // The second field is the name in parentheses, which may contain spaces and parentheses.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        // Fields count from the third one here: state is 3, pgrp is 5, session is 6, starttime is 22 (proc(5)).
        guard fields.count > 19, let state = fields[0].first,
            let group = pid_t(String(decoding: fields[2], as: UTF8.self)),
            let session = pid_t(String(decoding: fields[3], as: UTF8.self)),
            let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        return Entry(
            pid: pid, group: group, session: session, startTime: startTime,
            isZombie: state == UInt8(ascii: "Z") || state == UInt8(ascii: "X"))
    }

    /// All visible processes.
    static func all(in root: String = "/proc") throws(ProcessTableError) -> [Entry] {
        guard let stream = opendir(root) else { throw ProcessTableError(path: root, code: errno) }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while true {
            // readdir(3) reports an error by errno alone.
            errno = 0
            guard let item = readdir(stream) else { break }
            let name = withUnsafeBytes(of: item.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let pid = pid_t(name), let entry = try entry(pid, in: root) { entries.append(entry) }
        }
        guard errno == 0 else { throw ProcessTableError(path: root, code: errno) }
        return entries
    }

    /// The values of variables in the environment with which the process started, in order; nil for each that it has
    /// not.
    static func values(
        of names: [String], of pid: pid_t, in root: String = "/proc"
    ) throws(ProcessTableError) -> [String?] {
        // The kernel's limit for an environment.
        let bytes = try contents(of: "\(root)/\(pid)/environ", atMost: 6 * 1_048_576) ?? []
        let entries = bytes.split(separator: 0)
        return names.map { name in
            let prefix = Array("\(name)=".utf8)
            let entry = entries.first { $0.starts(with: prefix) }
            return entry.map { String(decoding: $0.dropFirst(prefix.count), as: UTF8.self) }
        }
    }

    /// An id that changes with every start of the machine, after which pids and start times repeat.
    static func bootID() -> String {
        let bytes = (try? contents(of: "/proc/sys/kernel/random/boot_id", atMost: 64)) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Returns nil if the file is gone, with its process, or belongs to another user.
    private static func contents(of path: String, atMost limit: Int) throws(ProcessTableError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if isAbsent(errno) { return nil }
            throw ProcessTableError(path: path, code: errno)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                if isAbsent(errno) { return nil }
                throw ProcessTableError(path: path, code: errno)
            }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    private static func isAbsent(_ code: Int32) -> Bool { [ENOENT, ESRCH, EACCES, EPERM].contains(code) }
}
