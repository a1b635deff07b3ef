internal import CEpoll
internal import Glibc

/// A signal, and who sent it.
public struct ReceivedSignal: Sendable, Hashable {
    /// The number of the signal.
    public let number: Int32
    /// The user of the process that sent it; 0 if none did.
    public let uid: UInt32
    /// The process that sent it; 0 if none did, or one outside the daemon's namespace.
    public let pid: Int32

    /// A signal from a process.
    public init(number: Int32, uid: UInt32, pid: Int32) {
        self.number = number
        self.uid = uid
        self.pid = pid
    }
}

// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
/// Delivers signals as calls on the loop until canceled. Uses a signal handler and a pipe.
///
/// A signalfd would require every thread of the process to block the signals, and a library may create threads with
/// their own mask.
public final class SignalWatch: @unchecked Sendable {
    private let signals: [Int32]
    private let readEnd: Int32
    private let writeEnd: Int32
    private var watch: Watch?

    fileprivate init(
        _ signals: [Int32], loop: EventLoop, handler: @escaping (ReceivedSignal) -> Void
    ) throws(SystemCallError) {
        var writeEnd: Int32 = -1
        let readEnd = try SystemCallError.check(
            "sigaction", cepoll_catch_signals(signals, Int32(signals.count), &writeEnd))
        self.signals = signals
        self.readEnd = readEnd
        self.writeEnd = writeEnd
        do throws(SystemCallError) {
            watch = try loop.watch(fd: readEnd, .readable) { _ in
                var signal = cepoll_signal()
                guard cepoll_next_signal(readEnd, &signal) > 0 else { return }
                handler(ReceivedSignal(number: signal.number, uid: signal.uid, pid: signal.pid))
            }
        } catch {
            release()
            throw error
        }
    }

    /// Stops the calls. The signals are ignored from now on.
    public func cancel() {
        guard let watch else { return }
        self.watch = nil
        watch.cancel()
        release()
    }

    private func release() {
        cepoll_release_signals(signals, Int32(signals.count))
        Glibc.close(readEnd)
        Glibc.close(writeEnd)
    }
}

extension EventLoop {
    /// Calls `handler` on the loop with the number of each of these signals that arrives on any thread. A signal has
    /// one watch at a time. Programs started with exec have the default action again. Loop thread only.
    public func watch(
        signals: [Int32], _ handler: @escaping (Int32) -> Void
    ) throws(SystemCallError) -> SignalWatch {
        try watch(signalsWithSender: signals) { handler($0.number) }
    }

    /// Calls `handler` like `watch(signals:)`, with the sender of each signal. Signals that arrive faster than the loop
    /// reads them are merged by the kernel, except real-time signals, of which it keeps a few thousand.
    public func watch(
        signalsWithSender signals: [Int32], _ handler: @escaping (ReceivedSignal) -> Void
    ) throws(SystemCallError) -> SignalWatch {
        checkThread()
        return try SignalWatch(signals, loop: self, handler: handler)
    }
}
