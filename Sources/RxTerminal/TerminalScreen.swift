internal import Glibc

/// What restores the terminal, prepared so that a signal handler can use it. One terminal at a time.
// nonisolated(unsafe): changed by `TerminalScreen` on one thread; the handler of a fatal signal only reads it.
nonisolated(unsafe) private var restored: (input: Int32, output: Int32, mode: termios)?

/// Resets what a screen has set: the style, an update under way, the marks around pasted text, the cursor, and the
/// other screen.
private let farewell: StaticString = "\u{1B}[0m\u{1B}[?2026l\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"

/// The terminal of a full-screen program: entered once, left once, and left as it was found.
///
/// While it is entered, keys arrive one by one and are not shown, and the program has a screen of its own, so that what
/// was there before comes back. What is pasted arrives marked as such, and not as keys. Ctrl-C and Ctrl-Z still send
/// their signals. The mouse is not captured.
public final class TerminalScreen {
    /// Milliseconds that a slow terminal has for what it has not taken yet.
    private static let patience: Int32 = 1000

    private let input: Int32
    private let output: Int32
    private var isEntered = false

    /// - Parameters:
    ///   - input: where the keys are read.
    ///   - output: where the pictures are written; the same terminal.
    public init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    deinit { leave() }

    /// The columns and rows of the terminal behind a descriptor; nil if it is none or does not know.
    public static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Enters the screen; does nothing if it is entered.
    ///
    /// - Returns: whether the input is a terminal.
    @discardableResult
    public func enter() -> Bool {
        guard !isEntered else { return true }
        // In the background it would take the screen of the shell, and keep the shell's mode as the one to restore.
        let foreground = tcgetpgrp(input)
        if foreground > 0, foreground != getpgrp() { kill(0, SIGTTIN) }
        var mode = termios()
        guard tcgetattr(input, &mode) == 0 else { return false }
        restored = (input, output, mode)
        isEntered = true
        CrashGuard.install()
        refresh()
        return true
    }

    /// Sets again what `enter` has set, because another program may have changed it; the screen is empty then.
    public func refresh() {
        guard isEntered, var mode = restored?.mode else { return }
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        // Enter is not Ctrl-J, and Ctrl-S does not stop the screen.
        mode.c_iflag &= ~tcflag_t(ICRNL | IXON)
        // A read waits for a byte.
        withUnsafeMutableBytes(of: &mode.c_cc) { ($0[Int(VMIN)], $0[Int(VTIME)]) = (1, 0) }
        tcsetattr(input, TCSADRAIN, &mode)
        Self.write("\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?25l\u{1B}[2J", to: output)
    }

    /// Restores the terminal; does nothing if it is not entered.
    public func leave() {
        guard isEntered else { return }
        isEntered = false
        Self.restore()
        restored = nil
        CrashGuard.remove()
    }

    /// Restores the terminal. A signal handler may call it.
    public static func restore() {
        guard let (input, output, kept) = restored else { return }
        var mode = kept
        tcsetattr(input, TCSANOW, &mode)
        // What was typed and not read is not for the shell.
        tcflush(input, TCIFLUSH)
        // A terminal that takes nothing must not hold up the end of the process.
        var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        if poll(&ready, 1, patience) > 0 { write(farewell, to: output) }
    }

    private static func write(_ text: StaticString, to descriptor: Int32) {
        var (start, left) = (text.utf8Start, text.utf8CodeUnitCount)
        while left > 0 {
            let count = Glibc.write(descriptor, start, left)
            guard count > 0 || errno == EINTR else { return }
            (start, left) = (start + max(0, count), left - max(0, count))
        }
    }
}

/// Restores the terminal when the process crashes, and when Ctrl-\ ends it.
private enum CrashGuard {
    private static let signals = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    static func install() {
        for number in signals {
            signal(number) { number in
                TerminalScreen.restore()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    static func remove() {
        for number in signals { signal(number, SIG_DFL) }
    }
}
