internal import Glibc

/// The columns of a terminal.
enum TerminalWidth {
    /// The columns without a terminal: those of most mails and documents.
    static let standard = 80

    /// The columns of the terminal behind stdout.
    static var columns: Int { columns(of: STDOUT_FILENO) ?? standard }

    /// The columns of the terminal behind stderr.
    static var ofErrors: Int { columns(of: STDERR_FILENO) ?? standard }

    /// The columns for a table on stdout. Without a terminal they are in COLUMNS, as `watch` sets it.
    static var ofTable: Int {
        columns(of: STDOUT_FILENO) ?? number(in: "COLUMNS") ?? standard
    }

    /// A positive number in a variable of the environment.
    static func number(in variable: String) -> Int? { columns(in: getenv(variable).map { String(cString: $0) }) }

    /// A number of columns that a table can have; nil for other text.
    static func columns(in text: String?) -> Int? { text.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }

    private static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
