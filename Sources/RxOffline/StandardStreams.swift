internal import Glibc
package import RxJSON

/// Messages before the log exists, and of commands that start no daemon. A terminal receives no control characters.
package enum StandardError {
    package static func write(_ line: String) { writeLine(text(line, for: STDERR_FILENO), to: STDERR_FILENO) }

    /// Writes a remark that ends nothing: as text, or as one JSON object.
    package static func note(_ text: String, asJSON: Bool) {
        if asJSON { write(RawJSON(["message": .string(text)])) } else { write("rxd: \(text)") }
    }

    static func write(_ line: RawJSON) { writeLine(json(line, for: STDERR_FILENO), to: STDERR_FILENO) }
}

/// Data: one JSON text per line, or text for people. A terminal receives no control characters.
package enum StandardOutput {
    /// - Returns: an errno, 0 for success.
    package static func write(_ line: RawJSON) -> Int32 {
        writeLine(json(line, for: STDOUT_FILENO), to: STDOUT_FILENO)
    }

    /// - Returns: an errno, 0 for success.
    package static func write(_ line: String) -> Int32 {
        writeLine(text(line, for: STDOUT_FILENO), to: STDOUT_FILENO)
    }
}

private func json(_ line: RawJSON, for descriptor: Int32) -> [UInt8] {
    line.line(forTerminal: isatty(descriptor) == 1)
}

private func text(_ line: String, for descriptor: Int32) -> [UInt8] {
    Array((isatty(descriptor) == 1 ? line.withoutControls : line).utf8)
}

@discardableResult
private func writeLine(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = (bytes + [0x0A])[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return errno }
        rest = rest.dropFirst(count)
    }
    return 0
}
