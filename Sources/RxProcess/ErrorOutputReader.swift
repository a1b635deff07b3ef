internal import RxHost

/// Splits standard error into log lines and keeps its tail for an error message.
struct ErrorOutputReader {
    private let lineBytes: Int
    private let tailBytes: Int
    private var line: [UInt8] = []
    private var last: [UInt8] = []
    private let secrets: SecretMask?
    /// Made with the first line: most programs write none.
    private lazy var lineMask = secrets?.errorLines()

    /// - Parameter secrets: what must not be in the lines. The tail has it; whoever keeps that replaces it there.
    init(limits: ProcessLimits, secrets: SecretMask? = nil) {
        self.secrets = secrets
        lineBytes = limits.errorLineBytes
        tailBytes = limits.errorTailBytes
    }

    /// Calls `log` for each complete line and for each piece of an overlong one.
    mutating func push(_ bytes: UnsafeRawBufferPointer, _ log: (String) -> Void) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                flush(log, isLine: true)
            } else {
                line.append(byte)
                if line.count == lineBytes { flush(log, isLine: false) }
            }
        }
        last.append(contentsOf: bytes.suffix(tailBytes))
        // Cut only occasionally, not on every call.
        if last.count > 2 * tailBytes { last.removeFirst(last.count - tailBytes) }
    }

    mutating func finish(_ log: (String) -> Void) {
        if !line.isEmpty { flush(log, isLine: true) }
    }

    /// The tail of standard error without its final newline; nil if nothing was written.
    var tail: String? {
        guard !last.isEmpty else { return nil }
        var bytes = last.suffix(tailBytes)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        // Drop a character that the limit has cut in two.
        if bytes.count == tailBytes || last.count > tailBytes {
            bytes = bytes.drop { $0 & 0b1100_0000 == 0b1000_0000 }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func flush(_ log: (String) -> Void, isLine: Bool) {
        // A line end right after a piece is not a separate line.
        if !(isLine && line.isEmpty && endedPiece) {
            log(
                lineMask?.text(line, isCutBefore: endedPiece, isCutAfter: !isLine)
                    ?? String(decoding: line, as: UTF8.self))
        }
        endedPiece = !isLine
        line.removeAll(keepingCapacity: true)
    }

    private var endedPiece = false
}
