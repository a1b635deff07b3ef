internal import Glibc
package import RxJSON

/// Messages before the log exists, and of commands that start no daemon.
package enum StandardError {
    package static func write(_ line: String) { writeAll(Array((line + "\n").utf8), to: STDERR_FILENO) }
}

/// Data: one JSON text per line, or text for people.
package enum StandardOutput {
    /// - Returns: an errno, 0 for success.
    package static func write(_ line: RawJSON) -> Int32 { writeAll(line.minified().utf8 + [0x0A], to: STDOUT_FILENO) }

    /// - Returns: an errno, 0 for success.
    package static func write(_ line: String) -> Int32 { writeAll(Array((line + "\n").utf8), to: STDOUT_FILENO) }
}

@discardableResult
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return errno }
        rest = rest.dropFirst(count)
    }
    return 0
}
