internal import Glibc
internal import RxLoop

/// Notices when a socket appears: by a watch (inotify) on its directory, or on the nearest directory above it that
/// exists. On the loop's thread only.
final class SocketWatch {
    private static let changes = UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

    private let descriptor: Int32
    private let path: String
    private let onChange: () -> Void
    private var watch: Watch?
    /// The watched directory: its number, and the name in it that leads to the socket.
    private var place: (number: Int32, name: [UInt8])?

    /// Nil if the kernel has no watch left.
    ///
    /// - Parameters:
    ///   - path: the path of the socket.
    ///   - onChange: called when it may have appeared.
    init?(path: String, loop: EventLoop, onChange: @escaping () -> Void) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        self.path = path
        self.onChange = onChange
        guard descriptor >= 0 else { return nil }
        watch = try? loop.watch(fd: descriptor, .readable) { [unowned self] _ in changed() }
        guard watch != nil, settle() else {
            cancel()
            return nil
        }
    }

    deinit { close(descriptor) }

    /// Ends the watch.
    func cancel() {
        watch?.cancel()
        watch = nil
    }

    /// Watches the nearest directory that exists. One that appears meanwhile is found, since the one above it is
    /// watched before.
    private func settle() -> Bool {
        var directory = path
        while true {
            let name = Array(directory.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.reversed())
            let above = directory.utf8.count - name.count
            directory = String(decoding: directory.utf8.prefix(above), as: UTF8.self)
            let number = inotify_add_watch(descriptor, directory.isEmpty ? "." : directory, Self.changes)
            if number >= 0 {
                if let place, place.number != number { inotify_rm_watch(descriptor, place.number) }
                place = (number, name)
                return true
            }
            // Without the slash before the name that was just removed.
            while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
            guard !directory.isEmpty, directory != "/" else { return false }
        }
    }

    private func changed() {
        var isConcerned = false
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                isConcerned = concerns(UnsafeRawBufferPointer(buffer)[..<count]) || isConcerned
            }
        }
        guard isConcerned else { return }
        _ = settle()
        onChange()
    }

    /// Whether one of these events is about the watched directory itself, or about the name that leads to the socket.
    private func concerns(_ events: Slice<UnsafeRawBufferPointer>) -> Bool {
        var rest = events
        let header = MemoryLayout<inotify_event>.size
        while rest.count >= header {
            let event = UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: inotify_event.self)
            let name = rest.dropFirst(header).prefix(Int(event.len))
            rest = rest.dropFirst(header + Int(event.len))
            guard event.wd == place?.number || event.mask & UInt32(IN_Q_OVERFLOW) != 0 else { continue }
            if name.isEmpty || name.prefix(while: { $0 != 0 }).elementsEqual(place?.name ?? []) { return true }
        }
        return false
    }
}
