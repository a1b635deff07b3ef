internal import RxLoop
internal import RxPlatform

/// One thread that runs closures, timers, and watches in order. Except for `execute`, everything is for this thread
/// only.
protocol ProcessLoop: Sendable {
    associatedtype Timer: Cancelable
    associatedtype Watch: Cancelable

    /// The time since a fixed point of the clock of the timers.
    var now: Duration { get }

    /// Calls `body` on the loop's thread after everything executed before it. Any thread.
    func execute(_ body: @escaping @Sendable () -> Void)

    /// Calls `body` once after `delay`, never earlier.
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> Timer

    /// Calls `handler` whenever reading from the descriptor would not block, until the watch is canceled.
    ///
    /// - Throws: if no memory or no watch is left.
    func watchReadable(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemCallError) -> Watch

    /// Calls `handler` whenever writing to the descriptor would not block, until the watch is canceled.
    ///
    /// - Throws: if no memory or no watch is left.
    func watchWritable(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemCallError) -> Watch
}

/// A timer or a watch.
protocol Cancelable {
    /// Prevents further calls. A second call has no effect.
    func cancel()
}

/// An event loop with the platform's monotonic clock, which its timers follow.
struct LinuxLoop: ProcessLoop {
    let loop: EventLoop
    let clock: MonotonicClock

    var now: Duration { clock.now }

    func execute(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> RxLoop.Timer {
        loop.schedule(after: delay, body)
    }

    func watchReadable(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemCallError) -> RxLoop.Watch {
        try loop.watch(fd: descriptor, .readable) { _ in handler() }
    }

    func watchWritable(_ descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemCallError) -> RxLoop.Watch {
        try loop.watch(fd: descriptor, .writable) { _ in handler() }
    }
}

extension RxLoop.Timer: Cancelable {}
extension RxLoop.Watch: Cancelable {}
