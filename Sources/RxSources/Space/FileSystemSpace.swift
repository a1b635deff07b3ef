internal import Glibc
internal import RxJSON

/// The space of a file system: statvfs(3), as `df` shows it.
///
///     {"path":"/srv","used":0.9134,"free":4096000,"size":47185920,"files":0.21}
struct FileSystemSpace: Equatable, Sendable {
    /// Bytes in all, with those that only root may use.
    var size: UInt64
    /// Bytes that users other than root may still use.
    var free: UInt64
    /// Ten-thousandths in use of what such users may use, rounded up.
    var used: UInt64
    /// Ten-thousandths of its inodes in use, rounded up; nil if it has no fixed number of them.
    var files: UInt64?

    init(size: UInt64, free: UInt64, used: UInt64, files: UInt64?) {
        self.size = size
        self.free = free
        self.used = used
        self.files = files
    }

    init(_ status: statvfs) {
        let unit = UInt64(status.f_frsize)
        // A file system may report anything.
        size = UInt64(status.f_blocks).multipliedReportingOverflow(by: unit).partialValue
        free = UInt64(status.f_bavail).multipliedReportingOverflow(by: unit).partialValue
        let taken = Double(status.f_blocks) - Double(status.f_bfree)
        used = Self.share(of: taken, in: taken + Double(status.f_bavail)) ?? 0
        files = Self.share(of: Double(status.f_files) - Double(status.f_ffree), in: Double(status.f_files))
    }

    /// The space of the file system of `path`. Waits for the file system, without end if a server is gone.
    static func measure(_ path: RawPath) throws(FileError) -> FileSystemSpace {
        var status = statvfs()
        var result: Int32
        repeat { result = path.withPointer { statvfs($0, &status) } } while result != 0 && errno == EINTR
        guard result == 0 else { throw FileError(errno) }
        return FileSystemSpace(status)
    }

    /// The JSON of an element.
    func element(_ path: String) -> RawJSON {
        var writer = JSONWriter(reserving: 96)
        writer.object { writer in
            writer.field("path", path)
            writer.field("used", Self.number(used))
            writer.field("free", free)
            writer.field("size", size)
            writer.field("files", files.map(Self.number) ?? .null)
        }
        return RawJSON(unchecked: writer.bytes)
    }

    private static func number(_ share: UInt64) -> JSONValue {
        JSONNumber(Double(share) / 10_000).map { .number($0) } ?? .null
    }

    private static func share(of part: Double, in whole: Double) -> UInt64? {
        whole > 0 ? UInt64(min(max((part * 10_000 / whole).rounded(.up), 0), 10_000)) : nil
    }
}
