internal import Glibc

/// The columns of the terminal behind stdout.
enum TerminalWidth {
    /// The columns without a terminal: those of most mails and documents.
    static let standard = 80

    static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return standard }
        return Int(size.ws_col)
    }
}
