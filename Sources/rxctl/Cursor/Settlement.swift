/// The state of a batch whose writer was killed.
enum Settlement: Equatable {
    /// Nothing of it was written.
    case unwritten
    /// All of it was written.
    case written
    /// A part was written, at the end of the file; it is to be truncated.
    case torn
    /// It cannot be determined: the output is not a regular file or another one, or other processes have written to it.
    case unknown
}

extension Settlement {
    init(of intent: WriteIntent, in output: OutputFile) {
        guard output.identity == intent.file, let size = output.size else {
            self = .unknown
            return
        }
        let grown = size - intent.size
        if grown <= 0 {
            // Smaller: somebody has emptied the file, and the batch went with the rest.
            self = .unwritten
        } else if grown >= intent.bytes {
            self = Settlement.isWhole(intent, output) ? .written : .unknown
        } else {
            self = Settlement.isTorn(intent, output, size) ? .torn : .unknown
        }
    }

    private static func isWhole(_ intent: WriteIntent, _ output: OutputFile) -> Bool {
        var hash = BatchHash()
        return output.read(intent.size, intent.bytes) { hash.add($0) } && hash.text == intent.hash
    }

    /// Whether the bytes after the old size are a part of the batch, and may be truncated: their whole lines are the
    /// first lines of the batch; without a whole line, they begin as the batch does.
    private static func isTorn(_ intent: WriteIntent, _ output: OutputFile, _ size: Int) -> Bool {
        var head: [UInt8] = []
        var hash = BatchHash()
        var lines: [String] = []
        let isReadable = output.read(intent.size, size - intent.size) { chunk in
            head += chunk.prefix(WriteIntent.headBytes - head.count)
            for byte in chunk {
                hash.add(byte)
                if byte == UInt8(ascii: "\n") { lines.append(hash.digits) }
            }
        }
        return isReadable && intent.lines.starts(with: lines)
            && intent.head.hasPrefix(head.withUnsafeBytes(WriteIntent.head))
    }
}
