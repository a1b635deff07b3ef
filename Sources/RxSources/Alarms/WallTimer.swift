internal import CEpoll
internal import Glibc
internal import RxLoop

// Sendable: the descriptor never changes; the watch belongs to the loop's thread.
/// A timerfd on CLOCK_REALTIME that a loop serves, and that also reports when the clock was set.
final class WallTimer: @unchecked Sendable {
    private let fd: Int32
    private let loop: EventLoop
    private var watch: Watch?

    /// - Throws: the error of making or watching the timer.
    init(loop: EventLoop) throws(SystemCallError) {
        let fd = cepoll_wall_timer()
        guard fd >= 0 else { throw SystemCallError("timerfd_create", errno: -fd) }
        self.fd = fd
        self.loop = loop
    }

    deinit {
        let (fd, watch) = (fd, watch)
        loop.execute {
            watch?.cancel()
            Glibc.close(fd)
        }
    }

    static var now: Int64 { cepoll_wall_now() }

    static var elapsed: Duration { .nanoseconds(cepoll_elapsed()) }

    /// Calls `body` on the loop whenever the time has come or the clock was set. Loop thread only, or before the loop
    /// runs.
    func watch(_ body: @escaping (_ wasSet: Bool) -> Void) throws(SystemCallError) {
        let fd = fd
        watch = try loop.watch(fd: fd, .readable) { _ in
            let result = cepoll_wall_timer_read(fd)
            if result != 0 { body(result < 0) }
        }
    }

    /// Sets the timer to an instant in microseconds.
    ///
    /// - Returns: whether the clock was set since the last call; `watch` does not report that change any more.
    func set(_ microseconds: Int64) -> Bool { cepoll_wall_timer_set(fd, microseconds) < 0 }
}
