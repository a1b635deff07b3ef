internal import Glibc

/// Information about processes from /proc.
enum ProcessTable {
    struct Entry: Equatable {
        let pid: pid_t
        let group: pid_t
        let session: pid_t
        /// Clock ticks since the machine started. With the pid, it identifies a process until the next start of the
        /// machine.
        let startTime: UInt64
        /// Whether it has ended but has not been reaped.
        let isZombie: Bool
    }

    /// The entry of a process; nil if it does not exist.
    static func entry(_ pid: pid_t) -> Entry? {
        guard let bytes = contents(of: "/proc/\(pid)/stat", atMost: 4096) else { return nil }
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
    static func all() -> [Entry] {
        guard let stream = opendir("/proc") else { return [] }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while let item = readdir(stream) {
            let name = withUnsafeBytes(of: item.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let pid = pid_t(name), let entry = entry(pid) { entries.append(entry) }
        }
        return entries
    }

    /// Whether the process started with `NAME=value` in its environment; false if that is not readable.
    static func environment(of pid: pid_t, has variable: String) -> Bool {
        // The kernel's limit for an environment.
        guard let bytes = contents(of: "/proc/\(pid)/environ", atMost: 6 * 1_048_576) else { return false }
        return bytes.split(separator: 0).contains { $0.elementsEqual(variable.utf8) }
    }

    /// An id that changes with every start of the machine, after which pids and start times repeat.
    static func bootID() -> String {
        let bytes = contents(of: "/proc/sys/kernel/random/boot_id", atMost: 64) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private static func contents(of path: String, atMost limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }
}
