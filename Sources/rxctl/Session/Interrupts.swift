internal import Glibc
internal import RxLoop

/// The writing end of the handler's pipe.
// nonisolated(unsafe): set once before the handler is installed, and only read afterwards.
nonisolated(unsafe) private var handlersEnd: Int32 = -1
/// Signals that the loop has not handled yet.
// nonisolated(unsafe): the handler runs on the loop's thread, the only one that there is, or in between.
nonisolated(unsafe) private var unhandled: Int32 = 0
/// With this many of them the loop is stuck, for example in a jq expression that never ends.
private let mostUnhandled: Int32 = 3

/// SIGINT and SIGTERM as events of the loop, through a pipe. `EarlyInterrupts` handles them before.
///
/// If the loop is stuck, the third signal exits the process with 130.
final class Interrupts {
    /// Called before the third signal exits the process, in its handler, so it must be safe there.
    // nonisolated(unsafe): set on the only thread, and read there by the handler.
    nonisolated(unsafe) static var beforeExit: (@convention(c) () -> Void)?

    /// Called for each signal.
    var onInterrupt: () -> Void = {}

    private var watch: Watch?

    init(loop: EventLoop) throws(SystemCallError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemCallError("pipe", errno: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        handlersEnd = ends[1]
        let readEnd = ends[0]
        watch = try loop.watch(fd: readEnd, .readable) { [unowned self] _ in
            unhandled = 0
            var byte: UInt8 = 0
            while read(readEnd, &byte, 1) == 1 {
                onInterrupt()
            }
        }
        add(SIGINT)
        add(SIGTERM)
    }

    /// Adds a signal. One that the parent process ignores (nohup, a background job of a shell) stays ignored.
    func add(_ number: Int32) {
        guard !EarlyInterrupts.isIgnored(number) else { return }
        var action = sigaction()
        action.sa_flags = SA_RESTART
        action.__sigaction_handler.sa_handler = { _ in
            let kept = errno
            unhandled += 1
            if unhandled >= mostUnhandled {
                Interrupts.beforeExit?()
                _exit(130)
            }
            var byte: UInt8 = 0
            write(handlersEnd, &byte, 1)
            errno = kept
        }
        sigaction(number, &action, nil)
    }
}
