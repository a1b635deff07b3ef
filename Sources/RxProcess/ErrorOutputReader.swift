/// Standard error: each line for the log, and the last of it for an error.
struct ErrorOutputReader {
    private let lineBytes: Int
    private let tailBytes: Int
    private var line: [UInt8] = []
    private var last: [UInt8] = []

    init(limits: ProcessLimits) {
        lineBytes = limits.errorLineBytes
        tailBytes = limits.errorTailBytes
    }

    /// Calls `log` for every line that is complete, and for every piece of one that is too long.
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
        // Cut now and then rather than every time.
        if last.count > 2 * tailBytes { last.removeFirst(last.count - tailBytes) }
    }

    mutating func finish(_ log: (String) -> Void) {
        if !line.isEmpty { flush(log, isLine: true) }
    }

    /// The last of what was written, without its final newline; nil if nothing was.
    var tail: String? {
        guard !last.isEmpty else { return nil }
        var bytes = last.suffix(tailBytes)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        // A character cut in two by the limit is left out.
        if bytes.count == tailBytes || last.count > tailBytes {
            bytes = bytes.drop { $0 & 0b1100_0000 == 0b1000_0000 }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func flush(_ log: (String) -> Void, isLine: Bool) {
        // A line that ends right after a piece is no line of its own.
        if !(isLine && line.isEmpty && endedPiece) { log(String(decoding: line, as: UTF8.self)) }
        endedPiece = !isLine
        line.removeAll(keepingCapacity: true)
    }

    private var endedPiece = false
}
