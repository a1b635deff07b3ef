internal import Glibc

/// Cuts bytes at "\n", and at nothing else. Only a half line is kept.
struct LineSplitter {
    /// Longest line, without its newline.
    let limit: Int
    /// Lines seen so far, the half one at the end included.
    private var count = 0
    private var partial: [UInt8] = []

    init(limit: Int) {
        self.limit = limit
    }

    struct TooLong: Error {
        let line: Int
    }

    /// Calls `body` with every line that `bytes` ends, valid during the call, and its number from 1. Stops before a line over the limit.
    mutating func push(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, _ number: Int) -> Void
    ) throws(TooLong) {
        var rest = bytes
        while let start = rest.baseAddress, let newline = memchr(start, Int32(UInt8(ascii: "\n")), rest.count) {
            let length = UnsafeRawPointer(newline) - start
            let piece = UnsafeRawBufferPointer(start: start, count: length)
            try begin(adding: length)
            if partial.isEmpty {
                body(piece, count)
            } else {
                partial.append(contentsOf: piece)
                partial.withUnsafeBytes { body($0, count) }
                partial.removeAll(keepingCapacity: true)
            }
            isInLine = false
            rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        }
        guard !rest.isEmpty else { return }
        try begin(adding: rest.count)
        partial.append(contentsOf: rest)
    }

    /// Calls `body` with what stands after the last newline, if anything does.
    mutating func finish(_ body: (UnsafeRawBufferPointer, _ number: Int) -> Void) {
        guard !partial.isEmpty else { return }
        partial.withUnsafeBytes { body($0, count) }
        partial = []
        isInLine = false
    }

    private var isInLine = false

    private mutating func begin(adding length: Int) throws(TooLong) {
        if !isInLine {
            isInLine = true
            count += 1
        }
        guard partial.count + length <= limit else { throw TooLong(line: count) }
    }
}
