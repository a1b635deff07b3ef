internal import Glibc
internal import RxJSON

/// For what rxd says before it is a daemon, or where it never becomes one.
enum StandardError {
    static func write(_ line: String) { writeAll(Array((line + "\n").utf8), to: STDERR_FILENO) }
}

/// For data, a line each.
enum StandardOutput {
    /// - Returns: why it could not be written, an errno; 0 if it was.
    static func write(_ line: RawJSON) -> Int32 { writeAll(line.minified().utf8 + [0x0A], to: STDOUT_FILENO) }
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
