internal import Glibc
internal import UnixSocket

/// stdout on the loop: whole lines, written at the end of the turn that made them, and never blocking the loop.
///
/// The descriptor is left blocking (it may be the shell's terminal, and the mode would be the shell's too). Instead only
/// as much is written as a pipe that is ready takes for sure, so Ctrl-C works however slow the reader is.
final class Output {
    /// What a ready pipe takes without blocking: one page.
    private static let portion = Int(PIPE_BUF)
    /// Above this, whoever makes the lines is asked to wait.
    private static let mostPending = 262_144

    /// Called with true when too much is pending, with false when that is over.
    var onCongestion: (Bool) -> Void = { _ in }
    /// Called once when the reader is gone or writing fails.
    var onFailure: (Int32) -> Void = { _ in }

    private let descriptor: Int32
    private let loop: EventLoop
    private var watch: Watch?
    private var pending: [UInt8] = []
    private var written = 0
    private var isCongested = false
    private var onDrained: (() -> Void)?

    init(descriptor: Int32 = STDOUT_FILENO, loop: EventLoop) throws(SocketError) {
        self.descriptor = descriptor
        self.loop = loop
        // A hang-up is told without anything to write: a reader that goes away is noticed in a quiet hour too.
        watch = try loop.watch(fd: descriptor, .hangUp) { [unowned self] readiness in
            if readiness.contains(.hangUp) {
                fail(errno: EPIPE)
            } else {
                flush()
            }
        }
    }

    func printLine(_ bytes: some Sequence<UInt8>) {
        pending.append(contentsOf: bytes)
        pending.append(UInt8(ascii: "\n"))
        loop.flushAtEndOfTurn(self)
        congest(pending.count - written > Output.mostPending)
    }

    /// Calls `body` when all is written.
    func drain(then body: @escaping () -> Void) {
        onDrained = body
        flush()
    }

    /// Writes what can be written now.
    func flush() {
        while written < pending.count {
            guard isReady else {
                watch?.interest = .writable
                return congest(pending.count - written > Output.mostPending)
            }
            let count = pending.withUnsafeBytes { bytes in
                let portion = bytes[written..<min(bytes.count, written + Output.portion)]
                return write(descriptor, portion.baseAddress, portion.count)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR && errno != EAGAIN {
                return fail(errno: errno)
            }
        }
        pending.removeAll(keepingCapacity: true)
        written = 0
        watch?.interest = .hangUp
        congest(false)
        onDrained?()
        onDrained = nil
    }

    /// Whether `portion` bytes can be written at once; always so for a file.
    private var isReady: Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return Glibc.poll(&poll, 1, 0) > 0
    }

    private func congest(_ now: Bool) {
        guard now != isCongested else { return }
        isCongested = now
        onCongestion(now)
    }

    private func fail(errno: Int32) {
        watch?.cancel()
        watch = nil
        pending = []
        written = 0
        onDrained = nil
        onFailure(errno)
    }
}

extension UnsafeRawBufferPointer.SubSequence {
    fileprivate var baseAddress: UnsafeRawPointer? {
        UnsafeRawBufferPointer(rebasing: self).baseAddress
    }
}

extension Output: TurnEnd {
    func turnEnded() {
        flush()
    }
}
