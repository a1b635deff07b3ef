internal import Glibc

/// Signals from the first instruction of `main` until `Interrupts` handles them on the loop.
enum EarlyInterrupts {
    /// The signals with which a user ends a command: Ctrl-C, `kill`, and the hang-up of the terminal.
    static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Makes these signals exit the process with 130, the exit code of an interrupted command, instead of killing it. A
    /// signal that the parent process ignores (nohup, a background job of a shell) stays ignored.
    ///
    /// Call this first: nothing has been requested or printed that would need an orderly end.
    static func exitAtOnce() {
        for number in signals where !isIgnored(number) {
            signal(number) { _ in _exit(130) }
        }
    }

    /// Whether the process ignores the signal.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
