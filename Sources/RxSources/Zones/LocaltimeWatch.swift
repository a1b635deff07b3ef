internal import Glibc
public import RxLoop

// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
/// Watches /etc/localtime and has the machine's zone read again when it was replaced.
public final class LocaltimeWatch: @unchecked Sendable {
    /// Tools remove the file before they create it again, which must not look like a change to UTC.
    private static let delay = Duration.milliseconds(100)
    private static let changes = UInt32(IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_CLOSE_WRITE)
    /// Room for a few dozen events; more of them are read next time.
    private static let bufferSize = 4096

    private let zone: MachineZone
    private let loop: EventLoop
    private let name: String
    private let fd: Int32
    private var watch: Watch?
    private var timer: Timer?

    /// Watches the file until `cancel`. Loop thread only, or before the loop runs.
    ///
    /// - Throws: the error of making the watch. The zone is then read again at each slot of a schedule that follows it.
    public init(_ zone: MachineZone, directory: String = "/etc", name: String = "localtime", loop: EventLoop)
        throws(SystemCallError)
    {
        self.zone = zone
        self.loop = loop
        self.name = name
        fd = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard fd >= 0 else { throw SystemCallError("inotify_init1", errno: errno) }
        guard inotify_add_watch(fd, directory, Self.changes) >= 0 else {
            let number = errno
            Glibc.close(fd)
            throw SystemCallError("inotify_add_watch", errno: number)
        }
        do throws(SystemCallError) {
            watch = try loop.watch(fd: fd, .readable) { [weak self] _ in self?.changed() }
        } catch {
            Glibc.close(fd)
            throw error
        }
        // What changed before the watch.
        zone.setWatched(true)
        zone.reread()
    }

    /// Ends the watch. Loop thread only.
    public func cancel() {
        guard let watch else { return }
        self.watch = nil
        watch.cancel()
        timer?.cancel()
        Glibc.close(fd)
        zone.setWatched(false)
    }

    private func changed() {
        guard hasChanged(), timer == nil else { return }
        timer = loop.schedule(after: Self.delay) { [weak self] in
            self?.timer = nil
            self?.zone.reread()
        }
    }

    /// Whether one of the events that wait is about the file.
    private func hasChanged() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 8) { buffer in
            var found = false
            while case let count = read(fd, buffer.baseAddress, buffer.count), count > 0 {
                found = names(UnsafeRawBufferPointer(rebasing: buffer[..<count])) || found
            }
            return found
        }
    }

    private func names(_ events: UnsafeRawBufferPointer) -> Bool {
        // Field by field: which module declares `inotify_event` depends on what else the module imports.
        let header = 16
        var found = false
        var rest = events[...]
        while rest.count >= header {
            let event = UnsafeRawBufferPointer(rebasing: rest)
            let mask = event.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            let size = Int(event.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            let text = rest.dropFirst(header).prefix(size).prefix { $0 != 0 }
            // Events were lost if the queue overflowed.
            if mask & UInt32(IN_Q_OVERFLOW) != 0 || text.elementsEqual(name.utf8) { found = true }
            rest = rest.dropFirst(header + size)
        }
        return found
    }
}
