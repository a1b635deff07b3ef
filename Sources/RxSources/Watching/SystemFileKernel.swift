internal import CEpoll
internal import Glibc
internal import RxPlatform
internal import RxTime

/// The kernel of the machine.
final class SystemFileKernel: FileKernel {
    /// About 1,000 events with short names: enough that reading costs little per event.
    private static let bufferSize = 65_536
    private static let headerSize = 16

    private(set) var descriptor: Int32?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 8)
    private let platform: Platform

    init(platform: Platform) { self.platform = platform }

    deinit {
        close()
        buffer.deallocate()
    }

    func open() throws(FileError) {
        guard descriptor == nil else { return }
        let opened = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard opened >= 0 else { throw FileError(errno) }
        descriptor = opened
    }

    func close() {
        if let descriptor { Glibc.close(descriptor) }
        descriptor = nil
    }

    func watch(_ path: RawPath, _ events: WatchEvents, isDirectory: Bool) throws(FileError) -> Int32 {
        guard let descriptor else { throw FileError(EBADF) }
        let mask = events.rawValue | UInt32(IN_MASK_ADD) | (isDirectory ? UInt32(IN_ONLYDIR) : 0)
        let watch = path.withPointer { inotify_add_watch(descriptor, $0, mask) }
        guard watch >= 0 else { throw FileError(errno) }
        return watch
    }

    func unwatch(_ watch: Int32) {
        if let descriptor { inotify_rm_watch(descriptor, watch) }
    }

    func read(_ body: (WatchEvent) -> Void) -> Int {
        guard let descriptor else { return 0 }
        var length: Int
        repeat { length = Glibc.read(descriptor, buffer.baseAddress, buffer.count) } while length < 0 && errno == EINTR
        var offset = 0
        var count = 0
        while offset < length {
            // Field by field: which module declares `inotify_event` depends on what else the module imports.
            func field<Value: BitwiseCopyable>(_ place: Int, _: Value.Type) -> Value {
                buffer.loadUnaligned(fromByteOffset: offset + place, as: Value.self)
            }
            let watch = field(0, Int32.self)
            let events = field(4, UInt32.self)
            let cookie = field(8, UInt32.self)
            let size = Int(field(12, UInt32.self))
            let begin = offset + Self.headerSize
            let text = UnsafeRawBufferPointer(rebasing: buffer[begin..<(begin + size)])
            // The name is padded with zeros.
            let end = text.firstIndex(of: 0) ?? text.count
            body(
                WatchEvent(
                    watch: watch, events: WatchEvents(rawValue: events), cookie: cookie,
                    name: UnsafeRawBufferPointer(rebasing: text[..<end])))
            offset = begin + size
            count += 1
        }
        return count
    }

    func status(_ path: RawPath, following: Bool) throws(FileError) -> FileStatus {
        try FileStatus(of: path, following: following)
    }

    func list(_ path: RawPath, following: Bool) throws(FileError) -> any DirectoryListing {
        try SystemListing(path, following: following)
    }

    func directory(_ path: RawPath, following: Bool) throws(FileError) -> any OpenDirectory {
        try SystemDirectory(path, following: following)
    }

    func file(_ path: RawPath) throws(FileError) -> any OpenFile { try SystemFile(path) }

    var uptime: Duration { platform.monotonicClock.now }
    var time: Instant { Instant(microseconds: platform.wallClock.milliseconds * 1000) }
}

extension FileStatus {
    /// What a path is. Without `following`, a symbolic link is a link.
    init(of path: RawPath, following: Bool) throws(FileError) {
        var status = stat()
        let result = path.withPointer { following ? stat($0, &status) : lstat($0, &status) }
        guard result == 0 else { throw FileError(errno) }
        self.init(status)
    }

    init(_ status: stat) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            case _: .other
            }
        self.init(
            kind: kind, device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            modified: Self.nanoseconds(status.st_mtim), changed: Self.nanoseconds(status.st_ctim),
            size: Int64(status.st_size), links: UInt64(status.st_nlink))
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        withUnsafePointer(to: time) { cepoll_nanoseconds($0) }
    }
}
