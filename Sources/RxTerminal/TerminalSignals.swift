internal import Glibc

/// The writing end of the pipe.
// nonisolated(unsafe): set before the handlers are installed, and only read by them.
nonisolated(unsafe) private var handlersEnd: Int32 = -1

/// The signals of a terminal, as bytes in a pipe that an event loop can watch.
public final class TerminalSignals {
    /// What a signal means.
    public enum Signal: Sendable {
        /// The size has changed (SIGWINCH).
        case resized
        /// The user wants the program to stop for a while (SIGTSTP); call ``TerminalSignals/stop()``.
        case stopping
        /// The program goes on (SIGCONT): others may have changed the terminal meanwhile.
        case continued
    }

    /// Becomes readable when a signal has come.
    public let descriptor: Int32

    /// Handles the signals from now on.
    ///
    /// - Returns: nil if there can be no pipe.
    public init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        descriptor = ends[0]
        handlersEnd = ends[1]
        for number in [SIGWINCH, SIGTSTP, SIGCONT] { Self.handle(number) }
    }

    deinit {
        for number in [SIGWINCH, SIGTSTP, SIGCONT] { signal(number, SIG_DFL) }
        close(handlersEnd)
        close(descriptor)
        handlersEnd = -1
    }

    /// The signals that have come.
    public func read() -> [Signal] {
        var signals: [Signal] = []
        var byte: UInt8 = 0
        while Glibc.read(descriptor, &byte, 1) == 1 {
            switch Int32(byte) {
            case SIGWINCH: signals.append(.resized)
            case SIGTSTP: signals.append(.stopping)
            case SIGCONT: signals.append(.continued)
            default: break
            }
        }
        return signals
    }

    /// Stops the process as the shell expects it, and returns when it goes on. Restore the terminal first.
    public func stop() {
        signal(SIGTSTP, SIG_DFL)
        raise(SIGTSTP)
        Self.handle(SIGTSTP)
    }

    private static func handle(_ number: Int32) {
        var action = sigaction()
        action.sa_flags = SA_RESTART
        action.__sigaction_handler.sa_handler = { number in
            let kept = errno
            var byte = UInt8(truncatingIfNeeded: number)
            write(handlersEnd, &byte, 1)
            errno = kept
        }
        sigaction(number, &action, nil)
    }
}
