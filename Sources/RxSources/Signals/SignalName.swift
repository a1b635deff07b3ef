internal import Glibc

/// A signal that a stream may use: `USR1`, `USR2`, or a real-time signal (`RTMIN`, `RTMIN+1` … `RTMAX-1`, `RTMAX`).
///
/// The other signals have a meaning for the daemon or for the kernel.
public struct SignalName: Sendable, Hashable, CustomStringConvertible {
    /// The name as in the configuration.
    public let description: String
    /// The number of the signal on this machine.
    public let number: Int32

    /// The reason why a text names no signal that a stream may use.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong and what to do, in a sentence without a period.
        public let description: String
    }

    /// Reads a name.
    ///
    /// - Throws: the fault, for the author of the configuration.
    public init(_ text: String) throws(Fault) {
        guard let number = Self.number(of: text) else { throw Fault(description: Self.fault(of: text)) }
        description = text
        self.number = number
    }

    /// `USR1` and `USR2`.
    static let userDefined = ["USR1": SIGUSR1, "USR2": SIGUSR2]

    private static func number(of text: String) -> Int32? {
        if let number = userDefined[text] { return number }
        // The C library keeps the first real-time signals for itself, so the bounds are known only at run time.
        let first = __libc_current_sigrtmin()
        let last = __libc_current_sigrtmax()
        switch text {
        case "RTMIN": return first
        case "RTMAX": return last
        case _ where text.hasPrefix("RTMIN+"): return offset(text).map { first + $0 }.flatMap { $0 <= last ? $0 : nil }
        case _ where text.hasPrefix("RTMAX-"): return offset(text).map { last - $0 }.flatMap { $0 >= first ? $0 : nil }
        case _: return nil
        }
    }

    /// The number after the sign: digits without a leading zero, so that each signal has few names.
    private static func offset(_ text: String) -> Int32? {
        let digits = text.utf8.dropFirst("RTMIN+".utf8.count)
        guard let first = digits.first, first != UInt8(ascii: "0"), digits.count <= 2,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int32(String(decoding: digits, as: UTF8.self))
    }

    private static let usable = "use USR1, USR2, or RTMIN+1 to RTMAX"

    private static func fault(of text: String) -> String {
        if text.hasPrefix("SIG"), number(of: String(text.dropFirst(3))) != nil {
            return "write \(text.dropFirst(3)) instead of \(text)"
        }
        let name = text.hasPrefix("SIG") ? String(text.dropFirst(3)) : text
        return switch name {
        case "HUP", "TERM", "INT", "QUIT", "CHLD", "PIPE", "ABRT":
            "\(name) has a meaning for the daemon; \(usable)"
        case "KILL", "STOP":
            "no program can receive \(name); \(usable)"
        case "ALRM", "BUS", "CONT", "FPE", "ILL", "IO", "POLL", "PROF", "PWR", "SEGV", "STKFLT", "SYS", "TRAP", "TSTP",
            "TTIN", "TTOU", "URG", "VTALRM", "WINCH", "XCPU", "XFSZ":
            "\(name) comes from the kernel; \(usable)"
        case _ where name.hasPrefix("RTMIN") || name.hasPrefix("RTMAX"):
            "\(name) is not between RTMIN and RTMIN+\(__libc_current_sigrtmax() - __libc_current_sigrtmin()); \(usable)"
        case _:
            "unknown signal \(text.debugDescription); \(usable)"
        }
    }
}
