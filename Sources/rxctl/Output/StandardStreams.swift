internal import Glibc
internal import RxJSON

/// The three descriptors every program starts with.
enum StandardStreams {
    /// Prepares the descriptors; must run before anything else is opened.
    static func prepare() {
        // A reader that goes away (EPIPE) is an exit code, not a death by signal.
        signal(SIGPIPE, SIG_IGN)
        // The next file opened would get the number of a closed one (`>&-`), and data would go there.
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
            // In the wrong direction on purpose: reading stdin or writing stdout fails.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    static let errorIsTerminal = isatty(STDERR_FILENO) == 1

    /// Prints one line on stdout, for commands without a daemon.
    static func printLine(_ text: String) throws(Ending) {
        var rest = Array((text + "\n").utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                throw Ending.outputFailed(errno: errno)
            }
        }
    }

    /// Prints `rxctl: …` on stderr for each line of the text.
    static func note(_ text: String) {
        var lines = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            lines += "rxctl: \(String(line).printable)\n"
        }
        writeError(Array(lines.utf8))
    }

    /// Prints one line of JSON on stderr.
    static func writeError(_ json: RawJSON) {
        writeError(json.line(forTerminal: errorIsTerminal) + [UInt8(ascii: "\n")])
    }

    /// Prints text on stderr that need not end a line.
    static func writeError(_ text: String) { writeError(Array(text.utf8)) }

    private static func writeError(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

extension String {
    /// The text without control characters: the output of an action's work must not control the reader's terminal.
    var printable: String { withoutControls }
}
