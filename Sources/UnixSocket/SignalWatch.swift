internal import CEpoll
internal import Glibc

/// Signals that arrive as calls on the loop, through a signalfd, until cancelled.
// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
public final class SignalWatch: @unchecked Sendable {
    private let fd: Int32
    private var watch: Watch?

    fileprivate init(_ signals: [Int32], loop: EventLoop, handler: @escaping (Int32) -> Void) throws(SocketError) {
        let fd = try check("signalfd", cepoll_signalfd(signals, Int32(signals.count)))
        self.fd = fd
        do throws(SocketError) {
            watch = try loop.watch(fd: fd, .readable) { _ in
                let signal = cepoll_next_signal(fd)
                if signal > 0 { handler(signal) }
            }
        } catch {
            Glibc.close(fd)
            throw error
        }
    }

    /// The handler is not called any more. The signals stay blocked.
    public func cancel() {
        guard let watch else { return }
        self.watch = nil
        watch.cancel()
        Glibc.close(fd)
    }
}

extension EventLoop {
    /// Calls `handler` on the loop with the number of each of these signals that arrives. They are blocked on the calling thread: call
    /// this before other threads are made, which inherit that. So do children, who must be given an empty mask. Loop thread only.
    public func watch(
        signals: [Int32], _ handler: @escaping (Int32) -> Void
    ) throws(SocketError) -> SignalWatch {
        checkThread()
        return try SignalWatch(signals, loop: self, handler: handler)
    }
}
