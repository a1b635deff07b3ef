internal import CEpoll
internal import Glibc

// Sendable: the descriptors never change; see also `LoopKernel`.
/// epoll, an eventfd, the monotonic clock, and a pthread.
final class EpollKernel: LoopKernel, @unchecked Sendable {
    /// The key of the eventfd; no source uses it.
    private static let wakeKey = UInt64.max

    private let epoll: Int32
    /// Never read: it is watched edge-triggered, so each write ends one wait.
    private let eventfd: Int32
    private let thread = LoopThread()

    /// - Throws: the error of creating the epoll set or the eventfd.
    override init() throws(SystemCallError) {
        epoll = try SystemCallError.check("epoll_create1", cepoll_create())
        eventfd = cepoll_eventfd()
        try super.init()
        _ = try SystemCallError.check("eventfd", eventfd)
        _ = try SystemCallError.check("epoll_ctl", cepoll_add(epoll, eventfd, cepoll_in | cepoll_edge, Self.wakeKey))
    }

    deinit {
        Glibc.close(epoll)
        Glibc.close(eventfd)
    }

    override func add(_ fd: Int32, _ interest: Interest, key: UInt64) -> Int32 {
        cepoll_add(epoll, fd, interest.events, key)
    }

    override func modify(_ fd: Int32, _ interest: Interest, key: UInt64) {
        _ = cepoll_modify(epoll, fd, interest.events, key)
    }

    override func remove(_ fd: Int32) { _ = cepoll_remove(epoll, fd) }

    override func wait(nanoseconds: Int64) -> Int {
        let count = Int(cepoll_wait(epoll, events, nanoseconds))
        precondition(count >= 0, "epoll_wait: errno \(-count)")
        return count
    }

    override var now: UInt64 { cepoll_now() }

    override func wake() { _ = cepoll_notify(eventfd) }

    override func startThread(name: String, _ body: @escaping () -> Void) { thread.start(name: name, body) }

    override func joinThread() { thread.join() }
}
