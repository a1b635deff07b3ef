internal import Glibc

/// Whether the user wants colors: see https://no-color.org.
enum TerminalColors {
    /// Whether `NO_COLOR` is set and not empty, or the terminal has no colors.
    static var areOff: Bool {
        let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        return isUnwanted || getenv("TERM").map { String(cString: $0) } == "dumb"
    }
}
