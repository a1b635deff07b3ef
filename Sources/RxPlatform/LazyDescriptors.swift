internal import Dispatch
internal import Glibc

/// The descriptors that Dispatch opens when it first needs them, and keeps: an epoll set, an eventfd, and a timerfd for
/// each clock. Dispatch ends the process if one of them cannot be opened.
public enum LazyDescriptors {
    /// The timerfds: of the time of day, and of the time with and without suspends.
    private static let clocks = 3
    /// More than Dispatch and swift-subprocess open together.
    private static let needed = 16
    /// A timer that is late on a busy machine fires without its timerfd.
    private static let attempts = 100

    /// Opens them. Call it while descriptors are left, before a client can take them; it takes about a millisecond.
    ///
    /// - Throws: if too few descriptors are left.
    public static func open() throws(LackOfDescriptors) {
        try checkRoom()
        for _ in 0..<attempts {
            useTimers()
            if (timerDescriptors ?? clocks) >= clocks { return }
        }
    }

    private static func checkRoom() throws(LackOfDescriptors) {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        while opened.count < needed {
            let descriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw LackOfDescriptors(needed: needed, errno: errno) }
            opened.append(descriptor)
        }
    }

    /// Waits for one short timer of each clock.
    private static func useTimers() {
        let fired = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { fired.signal() }
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(1)) { fired.signal() }
        // Dispatch has no name for this clock in Swift.
        Task.detached {
            try? await Task.sleep(for: .milliseconds(1), clock: .continuous)
            fired.signal()
        }
        for _ in 0..<clocks { fired.wait() }
    }

    /// How many timerfds the process has; nil if /proc does not list them.
    private static var timerDescriptors: Int? {
        guard let stream = opendir("/proc/self/fd") else { return nil }
        defer { closedir(stream) }
        var count = 0
        while let item = readdir(stream) {
            var target = [UInt8](repeating: 0, count: 64)
            let length = withUnsafePointer(to: &item.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    readlinkat(dirfd(stream), $0, &target, target.count)
                }
            }
            if target.prefix(max(0, length)).elementsEqual("anon_inode:[timerfd]".utf8) { count += 1 }
        }
        return count
    }
}

/// Too few descriptors are left to start.
public struct LackOfDescriptors: Error, Sendable, Equatable, CustomStringConvertible {
    let needed: Int
    let errno: Int32

    /// What is wrong, and what to do.
    public var description: String {
        let reason = SystemErrorName.sentence(of: errno)
        return "cannot open \(needed) descriptors for timers and processes: \(reason); raise LimitNOFILE or ulimit -n"
    }
}
